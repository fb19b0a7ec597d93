// One chat that is open on the page: its state, and what a person does with it. It draws
// nothing; on.change is called whenever there is something new to draw.
import { Client, newId } from "../client/client.js";
import { earlier, initialState, reduce } from "../client/reducer.js";
import { Attachments, keptFiles } from "./attach.js";
import { keep, kept } from "./keep.js";
import { sent } from "./session.js";
import { root } from "./root.js";
import { language } from "./texts.js";

export const maxMessage = 32_000; // code points
const typingPause = 700; // ms without a change before a card's draft is kept

const told = new Set(); // clarification ids of which the gateway knows that they were seen

// forOthers says whether a clarification waits for others than the reader.
export const forOthers = (c) => c.mayAnswer === false;

// ofProgram says whether a program asks, without a turn.
export const ofProgram = (c) => c.askedBy?.kind === "program" && !c.turnId;

// together says whether a question may be a page of a form of several: the model asks it, and
// the reader answers.
const together = (c) => c.kind === "question" && (c.askedBy?.kind ?? "model") === "model" && !c.waitsFor;

// codePoints counts as the gateway does.
export const codePoints = (s) => s.length - (s.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

export class Chat {
  view = initialState; // of the reducer
  connection = "idle"; // of the client
  sending = false;
  problem = null; // what a message was refused with
  refused = new Map(); // clarification id -> what its answer was refused with
  formRefused = null; // what answers that were sent together were refused with
  loading = ""; // the message before which older ones are being loaded
  writing = false; // a message, although a question is open
  #changing = null; // what a person does otherwise (see fork.js), and what it was refused with
  retryAt = 0; // ms: sending again before that is of no use
  #client;
  #draft;
  #end = null; // ends the client's follow
  #left = false;
  #looked = null;
  #on;
  #answered = new Set(); // ids of what was answered here, until that is refused
  #sentTogether = new Set(); // ids of what was answered together, until that is refused
  #tick = 0;
  #typed = null; // on the card, and not yet kept for the person's other devices
  #typing = 0;
  #saved = Promise.resolve(); // drafts are kept one after the other: what is stored last is the newest

  // id is "" for a chat that its first message will begin. on has change(), called
  // for everything new; event(event, elsewhere), called for each event, elsewhere if it closed
  // a question that the reader had before them; lost(problem), called
  // for a chat that is gone (404) or a key that is not valid (401); acts(), called before
  // something is sent; and streams(), whether this window may have the chat's stream.
  constructor({ app, id, on }) {
    this.app = app;
    this.begun = Boolean(id);
    this.id = id || (keptFiles(this.#filesName()).chat ?? newId()); // to which the files were sent
    this.#on = on;
    this.#client = new Client({ base: root, app, chat: this.id, locale: language });
    this.#draft = kept(this.#draftName());
    this.files = new Attachments({ client: this.#client, name: () => this.#filesName(), changed: () => {
      if (["files", "invalid_files"].includes(this.problem?.code)) this.problem = null;
      on.change();
    } });
  }

  #filesName(id = this.begun ? this.id : "") { return `files:${this.app}/${id}`; }

  #draftName(id = this.begun ? this.id : "") { return `message:${this.app}/${id}`; }

  get draft() { return this.#draft; }
  set draft(draft) {
    this.#draft = draft;
    keep(this.#draftName(), draft);
    if (this.problem && !this.waitsFor) this.problem = null;
    this.#on.change();
  }

  get changing() { return this.#changing; }
  set changing(changing) {
    this.#changing = changing;
    this.#on.change();
  }

  // It has a stream, which says whether the gateway can be reached.
  get streaming() { return this.#end !== null && this.connection !== "new"; }
  get running() { return this.view.status === "running"; }
  // The question to be answered here: that of the assistant, which waits for it, before those of programs.
  get question() { return this.#open.find((c) => !ofProgram(c)) ?? this.#open[0] ?? null; }
  // Those that are shown as one form: the model's of one step; [] where there is only one.
  get form() {
    const all = this.question && together(this.question) ? this.#open.filter((c) => together(c) && c.turnId === this.question.turnId) : [];
    return all.length > 1 || all.some((c) => this.#sentTogether.has(c.clarificationId)) ? all : [];
  }
  // How many there are.
  get questions() { return this.#open.length; }
  get #open() { return this.view.pending.filter((c) => !forOthers(c)); }
  // No turn waits for the answer to a program's question: the person may write beside it.
  get beside() { return this.question !== null && ofProgram(this.question); }
  get empty() { return this.view.items.length === 0 && this.view.queued.length === 0; }
  // How many seconds to wait before sending again makes sense.
  get waitsFor() { return Math.max(0, Math.ceil((this.retryAt - Date.now()) / 1000)); }

  // open follows the chat until close.
  open() {
    if (!this.begun || this.#end) return;
    if (!this.#on.streams()) return void this.look();
    this.#end = this.#client.follow((event) => this.#see(event), { onConnection: (connection, problem) => this.#connect(connection, problem) });
  }

  close() {
    clearTimeout(this.#tick);
    this.saveTyped();
    this.files.stop();
    this.#left = true;
    this.pause();
  }

  // pause lets the stream go; open goes on from there.
  pause() {
    this.#end?.();
    this.#end = null;
    if (this.begun && !this.view.lastEventId && !this.#left) this.look();
  }

  // look shows the chat as it is now, where it has no stream.
  async look() {
    if (this.#end || !this.begun || this.#left) return;
    const now = this.#looked = {};
    try {
      const data = await this.#client.snapshot();
      if (this.#end || this.#looked !== now || this.#left) return;
      this.#client.lastEventId = data.lastEventId;
      this.connection = "online";
      this.#see({ id: data.lastEventId, type: "snapshot", data });
    } catch (problem) {
      if (this.#end || this.#looked !== now || this.#left) return;
      this.#connect(problem.status === 404 ? "new" : [401, 403].includes(problem.status) ? "refused" : "offline", problem);
    }
  }

  // called is told how the chat is called now.
  called(title) {
    this.view = reduce(this.view, { type: "chat.title", data: { title } });
    this.#on.change();
  }

  // waits is told what a program asked in this chat, or that it was answered: its events come
  // only when the turn that runs is over.
  waits({ type, data }) {
    const known = this.view.pending.some((c) => c.clarificationId === data.clarificationId) || this.view.items.some((i) => i.clarification?.clarificationId === data.clarificationId);
    if (!this.#end) return void this.look();
    if (type === "clarification" && this.running && ofProgram(data) && !known) this.view = { ...this.view, pending: [...this.view.pending, data] };
    if (type === "clarification.resolved" && known) this.view = reduce(this.view, { type, data });
    this.#on.change();
  }

  #see(event) {
    const { type, data } = event, about = (c) => c.clarificationId === data.clarificationId;
    const elsewhere = type === "clarification.resolved" && this.#open.some(about) && !this.#answered.has(data.clarificationId);
    this.view = reduce(this.view, event);
    if (event.type === "turn.error" && event.data.retryAfter) this.#wait(event.data.retryAfter);
    if (event.type === "clarification.resolved" && this.view.pending.length === 0) this.writing = false;
    this.#on.event(event, elsewhere);
    this.#on.change();
  }

  #connect(connection, problem) {
    this.connection = connection;
    if (connection === "refused" || connection === "new" && !this.empty) this.#on.lost(problem);
    this.#on.change();
  }

  // wait counts the seconds down, where the page shows them.
  #wait(seconds) {
    this.retryAt = Date.now() + seconds * 1000;
    clearInterval(this.#tick);
    this.#tick = setInterval(() => {
      if (!this.waitsFor) {
        clearInterval(this.#tick);
        this.problem = null;
      }
      this.#on.change();
    }, 1000);
  }

  // begin gives the chat its place, before its first message is sent, so that a
  // reload in the meantime returns to it.
  #begin() {
    const draft = this.#draft, before = this.#filesName();
    this.draft = "";
    this.begun = true;
    this.draft = draft;
    this.files.moved(before);
  }

  // send sends the draft, or another text. The draft is removed only
  // when it was accepted. It waits for files that are on their way.
  async send(message = this.#draft) {
    if (this.sending || this.waitsFor || !message.trim() || codePoints(message) > maxMessage) return;
    this.sending = true;
    this.problem = null;
    if (this.files.onTheirWay) {
      this.#on.change();
      await this.files.settled();
      if (this.#left) return;
    }
    if (this.files.failed) {
      this.sending = false;
      this.problem = { code: "files" };
      return this.#on.change();
    }
    const waits = this.running || this.view.pending.length > 0, files = this.files.list;
    this.#on.acts();
    if (!this.begun) this.#begin();
    this.#on.change();
    try {
      await sent(this.#client.sendMessage(message, { files: this.files.ids }));
      this.files.drop(files);
      if (this.#draft === message) this.draft = "";
      this.writing = false;
      this.open();
      if (waits) this.#seeQueue().catch(() => {}); // then it shows when its turn comes
    } catch (problem) {
      this.files.refused(problem.errors, files);
      this.#refuse(problem);
    }
    this.sending = false;
    this.#on.change();
  }

  // seeQueue loads the waiting messages: no event has them.
  async #seeQueue() {
    const { queued = [] } = await this.#client.snapshot();
    const arrived = new Set(this.view.items.map((item) => item.key));
    this.view = { ...this.view, queued: queued.filter((m) => !arrived.has(m.id)) };
    this.#on.change();
  }

  // earlier loads older messages of a long chat.
  async earlier() {
    const before = this.view.oldest;
    if (this.loading === before) return;
    this.loading = before;
    try {
      const older = await this.#client.snapshot({ before });
      if (this.view.oldest === before) this.view = earlier(this.view, older);
    } catch (problem) {
      this.#refuse(problem);
    }
    this.loading = "";
    this.#on.change();
  }

  #refuse(problem) {
    this.problem = problem;
    if (problem.status === 401) this.#on.lost(problem);
    if (problem.retryAfter) this.#wait(problem.retryAfter);
  }

  // answer sends the card's answer.
  async answer(detail) {
    const id = detail.clarificationId;
    this.#on.acts();
    this.#typed = null; // it goes with the question
    this.refused.delete(id);
    this.#answered.add(id);
    try {
      await sent(this.#client.answer(detail));
    } catch (problem) {
      this.#answered.delete(id);
      this.refused.set(id, problem);
      if (problem.status === 401) this.#on.lost(problem);
    }
    this.#on.change();
  }

  // answering says whether an answer is on its way.
  answering(id) { return this.#answered.has(id); }

  // answers sends those of a form.
  async answers(details) {
    this.#on.acts();
    this.#typed = null;
    this.formRefused = null;
    this.#sentTogether = new Set(details.map((d) => d.clarificationId));
    for (const id of this.#sentTogether) this.#answered.add(id);
    try {
      await sent(this.#client.answers(details));
    } catch (problem) {
      for (const id of this.#sentTogether) this.#answered.delete(id);
      this.#sentTogether = new Set();
      this.formRefused = problem;
      if (problem.status === 401) this.#on.lost(problem);
    }
    this.#on.change();
  }

  // keepTyped keeps a card's draft, a moment after the last change.
  keepTyped({ clarificationId, draft }) {
    if (!draft) return;
    this.#typed = { clarificationId, draft };
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.saveTyped(), typingPause);
  }

  // saveTyped keeps it at once: the page is left. It helps, and what fails is not told: the
  // card has its own draft.
  saveTyped() {
    clearTimeout(this.#typing);
    if (!this.#typed) return;
    const { clarificationId, draft } = this.#typed;
    this.#typed = null;
    this.#saved = this.#saved.then(() => this.#client.saveDraft(clarificationId, draft, { keepalive: true })).catch(() => {});
  }

  // seen tells, once, that the person has seen a question.
  seen({ clarificationId }) {
    if (told.has(clarificationId)) return;
    told.add(clarificationId);
    this.#client.seen(clarificationId).catch(() => {}); // others may tell it
  }

  // searchOptions finds options of the open question as somebody types, searchIn those of any.
  searchOptions = (query, options) => this.#client.searchOptions(this.question.clarificationId, query, options);
  attachmentUrl = (...of) => this.#client.attachmentUrl(...of);
  upload = (...of) => this.#client.upload(...of);
  fileUrl = (...of) => this.#client.fileUrl(...of);
  searchIn = (...of) => this.#client.searchOptions(...of);

  // resume goes on with the turn, after an error, a stop or a limit.
  async resume() {
    if (this.sending || this.waitsFor || !this.view.resumable) return;
    this.sending = true;
    this.problem = null;
    this.#on.change();
    try {
      await this.#client.resume();
    } catch (problem) {
      this.#refuse(problem);
    }
    this.sending = false;
    this.#on.change();
  }

  // fork begins a new chat with what this one has before a point, and resolves with its id; with
  // "" where it was refused.
  async fork(point) {
    if (this.sending || this.waitsFor) return "";
    this.#on.acts();
    this.sending = true;
    this.problem = null;
    if (this.#changing) this.#changing = { ...this.#changing, problem: null };
    this.#on.change();
    let id = "";
    try {
      id = await this.#client.fork(point);
    } catch (problem) {
      if (this.#changing && problem.status !== 401) {
        this.#changing = { ...this.#changing, problem };
        if (problem.retryAfter) this.#wait(problem.retryAfter);
      } else this.#refuse(problem);
    }
    this.sending = false;
    this.#on.change();
    return id;
  }

  // speak is called when the page's language has changed.
  speak() {
    this.#client.locale = language;
  }

  // stopCall ends the turn that waits for a call which an application has to run: the call has no
  // result then.
  async stopCall(detail) {
    await this.answer({ ...detail, declined: true });
    if (!this.refused.has(detail.clarificationId)) await this.stop();
  }

  async stop() {
    try {
      await this.#client.stop();
    } catch (problem) {
      this.#refuse(problem);
      this.#on.change();
    }
  }

  // revoke has the chat ask again about a tool; it rejects with a Problem. No event says so.
  async revoke(tool) {
    await this.#client.revoke(tool);
    this.view = { ...this.view, approvals: this.view.approvals.filter((name) => name !== tool) };
    this.#on.change();
  }

  // refreshBranches finds out which branches there are now: no event says so.
  async refreshBranches() {
    try {
      const { root = "", branches = [] } = await this.#client.snapshot({ messages: 1 });
      this.view = { ...this.view, root, branches };
      this.#on.change();
    } catch { /* those that are known stay */ }
  }

  // erase deletes the chat, or all of its branches; it rejects with a Problem.
  async erase({ branches }) {
    this.close();
    try {
      await this.#client.erase({ branches });
      for (const id of [this.id, ...(branches ? this.view.branches.map((b) => b.chatId) : [])]) {
        keep(this.#draftName(id), "");
        keep(this.#filesName(id), "");
      }
    } catch (problem) {
      this.open();
      throw problem;
    }
  }
}
