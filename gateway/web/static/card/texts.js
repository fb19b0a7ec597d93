// The card's own texts. English is included, so that the card can begin without
// loading anything; other languages come from the gateway's message files, in which
// English is the same (a test compares).
export const english = {
  "card.label": "Question",
  "card.labels": "Questions",
  "card.asked_by": "{name} asks",
  "card.for_role": "For everyone with the role {role}",
  "card.waits_for": "Someone with the role {role} has to decide.",
  "card.recommend": "Take the recommended",
  "card.recommended": "Recommended",
  "card.preview": "Preview: {option}",
  "card.step": "{number} of {count}",
  "card.review": "Review your answers",
  "card.review_hint": "Nothing has been sent yet.",
  "card.edit": "Change",
  "card.edit_of": "Change your answer to: {question}",
  "card.back": "Back",
  "card.next": "Next",
  "card.send": "Send",
  "card.send_all": "Send answers",
  "card.skip": "Skip",
  "card.decline": "I don’t want to say",
  "card.decline_all": "I don’t want to answer any of these",
  "card.note": "Note",
  "card.note_by": "Note from {name}",
  "card.add_note": "Add a note",
  "card.note_placeholder": "Anything to add?",
  "card.other": "Something else",
  "card.other_placeholder": "Your own answer …",
  "card.text_placeholder": "Your answer …",
  "card.secret": "This seems to ask for a password or another secret. What you write here is stored and sent to the language model.",
  "card.earlier": "You said “{label}” at {time}.",
  "card.earlier_day": "You said “{label}” on {day}.",
  "card.keep": "Keep",
  "card.search": "Search {count} options",
  "card.found": "{shown} of {count} options",
  "card.none_found": "No option fits this search.",
  "card.more_found": "{shown} of {count} are shown. Type to find the others.",
  "card.search_failed": "The search does not work at the moment. You can choose what is shown, or try again.",
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
  "card.date_max": "Until {max}",
  "card.less": "Decrease",
  "card.more": "Increase",
  "card.length": "{length} of {max} characters",
  "card.keys_text": "Enter sends, Shift+Enter begins a new line.",
  "card.keys_text_next": "Enter goes on, Shift+Enter begins a new line.",
  "card.yes": "Yes",
  "card.no": "No",
  "card.undo": "Undo",
  "card.soon": "“{answer}” is sent in a moment.",
  "card.soon_news": "“{answer}” is sent in a moment. Escape takes it back.",
  "card.undone": "Taken back. Nothing was sent.",
  "card.allow": "Allow once",
  "card.always": "Always in this chat",
  "card.refuse": "Deny",
  "card.allowed": "Allowed",
  "card.allowed_by": "Allowed by {name}",
  "card.denied": "Denied",
  "card.denied_by": "Denied by {name}",
  "card.all_options": "All {count} options",
  "card.your_choice": "chosen",
  "card.tool": "Tool",
  "card.arguments": "With these arguments",
  "card.read_first": "Read the call to its end to allow it.",
  "card.as_json": "All of it, as JSON",
  "card.filled_in": "Filled in by the assistant",
  "card.edit_arguments": "Change the arguments",
  "card.edited_arguments": "Arguments, as JSON",
  "card.edited_hint": "The call is made with what stands here.",
  "card.edited_once": "The call is made with what stands here, and later ones are asked about.",
  "card.keep_arguments": "Leave them as they were",
  "card.edited": "Changed arguments",
  "card.link": "Opens in a new window",
  "card.input": "This application has to answer for the tool {tool}.",
  "card.sending": "Sending …",
  "card.offline": "You are offline. What you write is kept.",
  "card.not_sent": "Not sent: the gateway cannot be reached. Your answer is kept, try again.",
  "card.failed": "Not sent. Your answer is kept, try again.",
  "card.deadline": "Answer by {time}",
  "card.answered": "Answered",
  "card.remembered": "Answered with what you said before, without asking again",
  "card.dont_ask_again": "Don’t ask me this again",
  "card.answered_by": "Answered by {name}",
  "card.skipped": "Skipped",
  "card.declined": "Not answered, by choice",
  "card.expired": "The time to answer is over",
  "card.superseded": "The conversation went on without an answer",
  "card.cancelled": "Cancelled",
  "card.elsewhere": "This was answered in another window first. That answer counts.",
  "card.one_elsewhere": "One of these was answered elsewhere. Look through the others, and send them.",
  "card.unsent": "What you had written",
  "card.error_required": "Please answer this question.",
  "card.error_choose": "Please choose an option.",
  "card.error_blank": "A blank text is not an answer.",
  "card.error_type": "This does not fit the question.",
  "card.error_type_number": "Please enter a number.",
  "card.error_type_date": "Please enter a date that exists.",
  "card.file_max": "up to {max}",
  "card.file_drop": "or drop it here",
  "card.file_sending": "Sending {name} …",
  "card.file_attached": "{name} is attached.",
  "card.file_cancel": "Cancel",
  "card.file_remove": "Remove",
  "card.file_too_large": "This file is too large; {max} at most.",
  "card.file_one": "One file only, please.",
  "card.file_failed": "The file was not sent. Try again.",
  "card.file_elsewhere": "A file is needed, which cannot be sent from here.",
  "card.error_type_file": "Please choose a file.",
  "card.error_json": "This is no JSON object. Check brackets, quotes and commas.",
  "card.error_unread": "Read the call to its end first.",
  "card.error_too_long": "Too long: {length} of {count} characters at most.",
  "card.error_too_short": "Too short: {length} of {count} characters at least.",
  "card.error_pattern": "This does not have the expected form.",
  "card.error_format_email": "Please enter an e-mail address, such as name@example.org.",
  "card.error_format_uri": "Please enter a whole address, one that begins with “https:” or the like.",
  "card.error_format_phone": "Please enter a phone number, such as +49 30 123456.",
  "card.error_format_duration": "Please enter a length of time, such as 1h30m.",
  "card.error_min": "At least {min}, please.",
  "card.error_max": "At most {max}, please.",
  "card.error_integer": "A whole number, please.",
  "card.error_date_min": "Not before {min}, please.",
  "card.error_date_max": "Not after {max}, please.",
  "card.error_too_few": "Please choose {count} or more.",
  "card.error_too_many": "Please choose {count} at most.",
};

const loaded = new Map(); // language tag -> promise of texts

const here = import.meta.url; // not beside "new URL", where bundlers would look for files
let gateway = ""; // whose texts are loaded, "": the one that served this module

// loadMessages gets the texts of a language from the gateway, once; {} if it cannot, so
// that English is shown. base is the gateway's address, from then on: a module out of a
// package has no gateway around it.
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

async function load(tag) {
  const response = await fetch(gateway ? `${gateway}/assets/locales/${tag}.json` : new URL(`../locales/${tag}.json`, here));
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

const patience = 80; // ms to wait for texts before English is shown: a question must appear at once

// Words are the texts of one element: its own, over those of its language, over English.
export class Words {
  #language = null; // whose texts are loaded
  #loaded = {};
  #changed;

  // changed is called when texts came late.
  constructor(changed) {
    this.#changed = changed;
  }

  // ready waits a moment for the texts of a language, so that no button changes its language
  // under a finger.
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

// localeOf is the language of an element: its own, that of the nearest lang, else the browser's.
export const localeOf = (element) => element.locale || element.closest("[lang]")?.lang || globalThis.navigator?.language || "en";

// fill puts values into the {places} of a text.
export const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (place, name) => apart(values[name]) ?? place);

// apart keeps a value that is written from right to left from mixing with the words around it.
const apart = (value) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(value) ? `\u2068${value}\u2069` : value);
