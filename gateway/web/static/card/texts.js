// The card's texts. English is included, so that the card can start without loading anything. Other
// languages come from the gateway's message files, whose English is identical (a test compares).
export const english = {
  "card.label": "Question",
  "card.labels": "Questions",
  "card.labelled": "{label}:",
  "card.asked_by": "{name} asks",
  "card.for_role": "For everyone with the role {role}",
  "card.waits_for": "Someone with the role {role} has to decide.",
  "card.not_told": "No one could be told of this through: {channels}",
  "card.also_asks": "Since {at}, those with the role {role} may answer, too.",
  "card.asker_gone": "The asker is not waiting any more.",
  "card.recommend": "Use recommended answers",
  "card.recommended": "Recommended",
  "card.preview": "Preview: {option}",
  "card.step": "{number} of {count}",
  "card.step_done": "answered",
  "card.review": "Review your answers",
  "card.review_hint": "Nothing has been sent yet.",
  "card.edit": "Change",
  "card.edit_of": "Change your answer to: {question}",
  "card.back": "Back",
  "card.next": "Next",
  "card.send": "Send",
  "card.send_all": "Send answers",
  "card.skip": "Skip",
  "card.decline": "Prefer not to answer",
  "card.decline_all": "Prefer not to answer any of these",
  "card.note": "Note",
  "card.note_by": "Note from {name}",
  "card.add_note": "Add a note",
  "card.note_placeholder": "Anything to add?",
  "card.other": "Something else",
  "card.other_placeholder": "Your own answer …",
  "card.text_placeholder": "Your answer …",
  "card.secret": "This seems to ask for a password or another secret. What you enter is stored and sent to the language model.",
  "card.earlier": "You answered “{label}” at {time}.",
  "card.earlier_day": "You answered “{label}” on {day}.",
  "card.keep": "Keep",
  "card.search": "Search {count} options",
  "card.found": "{shown} of {count} options",
  "card.none_found": "No options match your search.",
  "card.more_found": "Showing {shown} of {count}. Type to find the others.",
  "card.search_failed": "Search is not working right now. Choose one of the options shown, or try again.",
  "card.choose_several": "Choose one or more",
  "card.choose_exactly": "Choose {count}",
  "card.choose_range": "Choose {min} to {max}",
  "card.choose_min": "Choose {min} or more",
  "card.choose_max": "Choose up to {max}",
  "card.chosen": "{count} chosen",
  "card.range": "{min} to {max}",
  "card.min": "{min} or more",
  "card.max": "Up to {max}",
  "card.integer": "Whole number",
  "card.date_min": "From {min}",
  "card.date_max": "Up to {max}",
  "card.datetime_zone": "Time zone: {zone}",
  "card.datetime_twin": "{time} instead",
  "card.rank_hint": "Best first",
  "card.rank_keys": "Drag an option, or move it with the arrow keys, Home and End.",
  "card.rank_keep": "Use this order",
  "card.rank_place": "{option}, {number} of {count}",
  "card.rank_up": "Move up: {option}",
  "card.rank_down": "Move down: {option}",
  "card.less": "Decrease",
  "card.more": "Increase",
  "card.length": "{length} of {max} characters",
  "card.keys_text": "Press Enter to send, Shift+Enter for a new line.",
  "card.keys_text_next": "Press Enter to continue, Shift+Enter for a new line.",
  "card.yes": "Yes",
  "card.no": "No",
  "card.undo": "Undo",
  "card.send_now": "Send now",
  "card.soon": "Sending “{answer}” …",
  "card.soon_news": "Sending “{answer}” … Press Escape to undo.",
  "card.undone": "Undone",
  "card.allow": "Allow once",
  "card.always": "Always allow in this chat",
  "card.refuse": "Deny",
  "card.allowed": "Allowed",
  "card.allowed_by": "Allowed by {name}",
  "card.denied": "Denied",
  "card.denied_by": "Denied by {name}",
  "card.respond": "Reply instead",
  "card.result": "Result in place of the call",
  "card.result_hint": "The tool does not run. The assistant reads your text as the result.",
  "card.reply": "Send reply",
  "card.responded": "A person gave the result. The call was not made.",
  "card.responded_by": "{name} gave the result. The call was not made.",
  "card.responded_at": "Result given by {name}, {time}",
  "card.allowed_at": "Allowed by {name}, {time}",
  "card.denied_at": "Denied by {name}, {time}",
  "card.quorum": "{count} people with the role {role} must allow this. So far: {given}",
  "card.you_allowed": "You have allowed this. Still needed: {count}",
  "card.all_options": "All {count} options",
  "card.answer_deleted": "This answer was deleted.",
  "card.your_choice": "chosen",
  "card.tool": "Tool",
  "card.arguments": "Arguments",
  "card.read_first": "Scroll to the end to allow",
  "card.as_json": "Full JSON",
  "card.filled_in": "Filled in by the assistant",
  "card.unknown": "Not one of the tool’s parameters",
  "card.no_arguments": "No arguments",
  "card.warn_unknown": "Some of these arguments are not parameters of the tool. They are marked.",
  "card.warn_unseen": "Some characters are invisible. Boxes show their names.",
  "card.warn_mixed": "Some words mix look-alike letters from different alphabets. They are underlined.",
  "card.empty_lines": "{count} empty lines",
  "card.spaces": "{count} spaces",
  "card.difference": "Changes, as the call says. The file may look different.",
  "card.line_added": "Added:",
  "card.line_removed": "Removed:",
  "card.same_lines": "{count} unchanged lines",
  "card.too_many_lines": "Changes are shown for texts of up to {count} lines.",
  "card.copy": "Copy",
  "card.copied": "Copied",
  "card.edit_arguments": "Edit arguments",
  "card.edited_arguments": "Arguments as JSON",
  "card.edited_hint": "The tool runs with these arguments.",
  "card.edited_once": "The tool runs once with these arguments. You are asked again next time.",
  "card.keep_arguments": "Discard changes",
  "card.edited": "Edited arguments",
  "card.link": "Opens in a new window",
  "card.input": "This application must provide the result of the tool {tool}.",
  "card.sending": "Sending …",
  "card.offline": "You are offline. What you write stays here.",
  "card.not_sent": "Not sent: the gateway cannot be reached. Your answer is still here; try again.",
  "card.failed": "Not sent. Your answer is still here; try again.",
  "card.deadline": "Answer by {time}",
  "card.answered": "Answered",
  "card.remembered": "Answered from memory, without asking you again",
  "card.dont_ask_again": "Don’t ask me again",
  "card.answered_by": "Answered by {name}",
  "card.skipped": "Skipped",
  "card.declined": "Preferred not to answer",
  "card.expired": "The time to answer has run out",
  "card.superseded": "The chat went on without an answer",
  "card.cancelled": "Cancelled",
  "card.elsewhere": "This was answered first in another window. That answer counts.",
  "card.closed_first": "The question was closed first. Your answer was not sent.",
  "card.one_elsewhere": "One of these was answered elsewhere. Review the others and send them.",
  "card.unsent": "Your unsent answer",
  "card.error_required": "Answer this question.",
  "card.error_choose": "Choose an option.",
  "card.error_blank": "An empty text is not an answer.",
  "card.error_type": "This does not match the question.",
  "card.error_type_number": "Enter a number.",
  "card.error_type_date": "Enter a valid date.",
  "card.error_type_datetime": "Enter a date and a time.",
  "card.file_max": "up to {max}",
  "card.file_choose": "Choose a file",
  "card.file_drop": "or drop it here",
  "card.file_sending": "Uploading {name} …",
  "card.file_attached": "{name} uploaded",
  "card.file_cancel": "Cancel",
  "card.file_remove": "Remove",
  "card.file_too_large": "This file is too large (limit {max}).",
  "card.file_one": "Only one file is accepted.",
  "card.file_failed": "The file was not uploaded. Try again.",
  "card.file_elsewhere": "This question needs a file, which cannot be uploaded from here.",
  "card.error_type_file": "Choose a file.",
  "card.error_json": "This is not a JSON object. Check brackets, quotes and commas.",
  "card.error_unread": "Scroll to the end first.",
  "card.error_too_long": "Too long: {length} characters (limit {count})",
  "card.error_too_short": "Too short: at least {count} characters (now {length})",
  "card.error_pattern": "This does not match the expected format.",
  "card.error_format_email": "Enter an email address, such as name@example.org.",
  "card.error_format_uri": "Enter a full web address, beginning with “https:” or the like.",
  "card.error_format_phone": "Enter a phone number, such as +49 30 123456.",
  "card.error_format_duration": "Enter a duration, such as 1h30m.",
  "card.error_min": "The number must be at least {min}.",
  "card.error_max": "The number must be at most {max}.",
  "card.error_integer": "Enter a whole number.",
  "card.error_date_min": "The date must not be before {min}.",
  "card.error_date_max": "The date must not be after {max}.",
  "card.error_datetime_min": "The time must not be before {min}.",
  "card.error_datetime_max": "The time must not be after {max}.",
  "card.error_scale": "Choose a number from 1 to {max}.",
  "card.error_rank": "Put all {count} options in order.",
  "card.error_rank_required": "Move the options into your order, or use the order shown.",
  "card.error_too_few": "Choose at least {count}.",
  "card.error_too_many": "Choose at most {count}.",
};

const loaded = new Map(); // language tag -> promise of texts

const here = import.meta.url; // not next to "new URL", which bundlers would resolve to files
let gateway = ""; // address to load texts from; "": the gateway that served this module

// loadMessages loads the texts of a language from the gateway, once. It resolves to {} if it cannot,
// so that English is shown. base sets the gateway's address for this and later calls: a module from
// a package was not served by a gateway.
export function loadMessages(locale, base) {
  if (base) gateway = base;
  const tag = /^[A-Za-z0-9-]{2,35}$/.test(locale) ? locale : "en";
  if (/^en(-|$)/i.test(tag)) return Promise.resolve({});
  if (!loaded.has(tag)) {
    loaded.set(tag, load(tag).catch(() => {
      loaded.delete(tag);
      return {};
    }));
  }
  return loaded.get(tag);
}

// know sets the texts of a language, so that they need not be loaded.
export const know = (tag, texts) => loaded.set(tag, Promise.resolve(texts));

async function load(tag) {
  const response = await fetch(gateway ? `${gateway}/assets/locales/${tag}.json` : new URL(`../locales/${tag}.json`, here));
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

const patience = 80; // ms to wait for texts before English is shown: a question must appear quickly

// Words are the texts of one element: its own texts first, then those of its language, then English.
export class Words {
  #language = null; // whose texts are loaded
  #loaded = {};
  #changed;

  // changed is called when texts arrive late.
  constructor(changed) {
    this.#changed = changed;
  }

  // ready waits briefly for the texts of a language, so that no button changes its text while the
  // user is about to press it.
  async ready(language) {
    if (language === this.#language) return;
    this.#language = language;
    const texts = loadMessages(language).then((loaded) => {
      if (this.#language !== language) return;
      this.#loaded = loaded;
      this.#changed();
    });
    await Promise.race([texts, new Promise((resolve) => setTimeout(resolve, patience))]);
  }

  text(own, id, values) {
    return fill(own?.[id] ?? this.#loaded[id] ?? english[id] ?? id, values);
  }
}

// localeOf returns the language of an element: its own, that of the nearest lang attribute, otherwise
// the browser's.
export const localeOf = (element) => element.locale || element.closest("[lang]")?.lang || globalThis.navigator?.language || "en";

// fill inserts values into the {places} of a text.
export const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (place, name) => apart(values[name]) ?? place);

// apart isolates a right-to-left value from the text around it.
const apart = (value) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(value) ? `\u2068${value}\u2069` : value);
