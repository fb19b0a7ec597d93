// One open chat: its state and the user's actions. It does not draw; it calls on.change whenever there
// is something new to draw.
import { Client, newId } from "../client/client.js";
import { earlier, initialState, reduce } from "../client/reducer.js";
import { Attachments, keptFiles } from "./attach.js";
import { Draft } from "./draft.js";
import { keep } from "./keep.js";
import { outbox } from "./outbox.js";
import { Queued } from "./queued.js";
import { sent } from "./session.js";
import { root } from "./root.js";
import { noteUnsent } from "./unsent.js";
import { language } from "./texts.js";

export const maxMessage = 32_000; // code points
const typingPause = 700; // ms without a change before a card's draft is saved

const reported = new Set(); // ids of clarifications that were reported as seen

// forOthers reports whether a clarification waits for someone other than the user.
export const forOthers = (c) => c.mayAnswer === false;

// ofProgram reports whether a program asks, outside of a turn.
export const ofProgram = (c) => c.askedBy?.kind === "program" && !c.turnId;

// together reports whether a question may be a page of a form: the model asks it, and the user
// answers.
const together = (c) => c.kind === "question" && (c.askedBy?.kind ?? "model") === "model" && !c.waitsFor;

// codePoints returns the length of a text as the gateway counts it.
export const codePoints = (s) => s.length - (s.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

export class Chat {
  view = initialState; // the reducer's state
  connection = "idle"; // the client's connection
  sending = false;
  #leaving = null; // the message on its way, which is not a draft although the composer still has it
  problem = null; // problem of a refused message
  refused = new Map(); // clarification id -> problem of its answer
  formRefused = null; // problem of answers that were sent together
  loading = ""; // the id of the message before which older ones are being loaded
  #changing = null; // what is being changed (see fork.js), and its problem
  retryAt = 0; // ms: do not send again before this time
  #client;
  #draft;
  #end = null; // stops following the chat
  #left = false;
  #looked = null;
  #on;
  #answered = new Set(); // ids of questions answered here, unless refused
  #sentTogether = new Set(); // ids of questions answered together, unless refused
  #tick = 0;
  #typed = null; // the card's draft that is not yet saved for other devices
  #typing = 0;
  #saved = Promise.resolve(); // drafts are saved one after the other, so that the newest is stored last

  // id is "" for a chat that begins with its first message. The chat calls these functions of on:
  // change(), after every change; event(event, elsewhere), for each event, with elsewhere set if it closed
  // a question that the user had in view; lost(problem), if the chat is gone (404) or the key is not valid
  // (401); acts(), before it sends something; and streams(), which returns whether this window may have a
  // stream of the chat.
  constructor({ app, id, on }) {
    this.app = app;
    this.begun = Boolean(id);
    this.id = id || (keptFiles(this.#filesName()).chat ?? newId()); // the id under which files were already uploaded
    this.#on = on;
    this.#client = new Client({ base: root, app, chat: this.id, locale: language });
    this.#draft = new Draft(this.#draftName());
    outbox.enter(this);
    this.queued = new Queued({ chat: this, client: this.#client, changed: on.change });
    this.files = new Attachments({ client: this.#client, name: () => this.#filesName(), changed: () => {
      if (["files", "invalid_files"].includes(this.problem?.code)) this.problem = null;
      on.change();
    } });
  }

  #filesName(id = this.begun ? this.id : "") { return `files:${this.app}/${id}`; }

  #draftName(id = this.begun ? this.id : "") { return `${this.app}/${id}`; }

  get draft() { return this.#draft.text; }
  set draft(draft) {
    this.#draft.text = draft;
    if (this.problem && !this.waitsFor) this.problem = null;
    this.#stay();
    this.#on.change();
  }

  get client() { return this.#client; }
  changed() { this.#on.change(); }

  // Whether the user chose to write a message for the question in view, in place of an answer.
  get writing() { return this.#draft.isFor(this.#asked); }
  set writing(writing) {
    if (!writing && this.writing && !this.#written) this.#draft.stay("");
    this.#draft.answer(writing ? this.#asked : "");
  }
  get #asked() { return this.question?.clarificationId ?? ""; }

  // Whether the composer is below the card: it had a message when the question came, or got one since.
  get stays() { return this.#draft.stays(this.#asked); }
  get #written() { return this.draft !== "" || this.files.list.length > 0; }
  #stay() {
    if (this.#written && this.draft !== this.#leaving) this.compose();
  }

  // compose opens the composer below the card, for a message that is not for the question.
  compose() { this.#draft.stay(this.#asked); }

  get changing() { return this.#changing; }
  set changing(changing) {
    this.#changing = changing;
    this.#on.change();
  }

  // Whether the chat has a stream, which shows if the gateway can be reached.
  get streaming() { return this.#end !== null && this.connection !== "new"; }
  get running() { return this.view.status === "running"; }
  // The question to answer: the assistant's first, because its turn waits for it, then those of programs.
  get question() { return this.#open.find((c) => !ofProgram(c)) ?? this.#open[0] ?? null; }
  // The questions shown as one form: those of one step; [] if there is only one.
  get form() {
    const all = this.question && together(this.question) ? this.#open.filter((c) => together(c) && c.turnId === this.question.turnId) : [];
    return all.length > 1 || all.some((c) => this.#sentTogether.has(c.clarificationId)) ? all : [];
  }
  // The number of open questions.
  get questions() { return this.#open.length; }
  get #open() { return this.view.pending.filter((c) => !forOthers(c)); }
  // No turn waits for the answer to a program's question, so the user may write a message as well.
  get writable() { return this.question !== null && ofProgram(this.question); }
  get empty() { return this.view.items.length === 0 && this.view.queued.length === 0 && outbox.of(this).length === 0; }
  // How many seconds to wait before sending again is worthwhile.
  get waitsFor() { return Math.max(0, Math.ceil((this.retryAt - Date.now()) / 1000)); }

  // open follows the chat until close or pause.
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
    outbox.leave(this);
    this.pause();
  }

  // pause ends the stream. open continues where it ended.
  pause() {
    this.#end?.();
    this.#end = null;
    if (this.begun && !this.view.lastEventId && !this.#left) this.look();
  }

  // look loads the current state of the chat, if it has no stream.
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

  // called sets the current title.
  called(title) {
    this.view = reduce(this.view, { type: "chat.title", data: { title } });
    this.#on.change();
  }

  // waits handles an inbox event about a program's question in this chat. The chat's own stream sends such
  // events only after the running turn.
  waits({ type, data }) {
    const known = this.view.pending.some((c) => c.clarificationId === data.clarificationId) || this.view.items.some((i) => i.clarification?.clarificationId === data.clarificationId);
    if (!this.#end) return void this.look();
    if (type === "chat.queue") return void this.queued.refresh().catch(() => {});
    const open = this.#open;
    if (type === "clarification" && this.running && ofProgram(data) && !known) this.view = { ...this.view, pending: [...this.view.pending, data] };
    if (known && ["clarification.resolved", "clarification.decided", "clarification.escalated"].includes(type)) this.view = reduce(this.view, { type, data });
    noteUnsent(this, open);
    this.#on.change();
  }

  // reduce applies an event that the chat's stream does not have.
  reduce(event) { this.view = reduce(this.view, event); }

  #see(event) {
    const { type, data } = event, about = (c) => c.clarificationId === data.clarificationId;
    const open = this.#open, elsewhere = type === "clarification.resolved" && open.some(about) && !this.#answered.has(data.clarificationId);
    this.view = reduce(this.view, event);
    this.queued.finish();
    noteUnsent(this, open);
    if (event.type === "turn.error" && event.data.retryAfter) this.#wait(event.data.retryAfter);
    if (event.type === "clarification.resolved" && this.view.pending.length === 0) this.writing = false;
    this.#stay();
    this.#on.event(event, elsewhere);
    this.#on.change();
  }

  #connect(connection, problem) {
    this.connection = connection;
    if (connection === "online") outbox.flush();
    if (connection === "refused" || connection === "new" && !this.empty) this.#on.lost(problem);
    this.#on.change();
  }

  // wait blocks sending for some seconds and updates the countdown each second.
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

  // begin gives the chat its address before its first message is sent, so that a reload in the meantime
  // returns to it.
  #begin() {
    const before = this.#filesName();
    this.begun = true;
    this.#draft.moved(this.#draftName());
    this.files.moved(before);
  }

  // send sends the draft, or another text, once all uploads have finished. The draft is removed only when
  // the gateway has accepted it.
  async send(message = this.draft) {
    if (this.sending || this.waitsFor || !message.trim() || codePoints(message) > maxMessage) return;
    this.sending = true;
    this.#leaving = message;
    this.problem = null;
    if (this.files.onTheirWay) {
      this.#on.change();
      await this.files.settled();
      if (this.#left) return;
    }
    if (this.files.failed) {
      this.#stopped();
      this.problem = { code: "files" };
      return this.#on.change();
    }
    const waits = this.running || this.view.pending.length > 0, files = this.files.list;
    this.#on.acts();
    if (!this.begun) this.#begin();
    this.#on.change();
    try {
      const now = await outbox.send(this, { kind: "message", content: message, files: files.map(({ fileId, name, size, type }) => ({ fileId, name, size, type })), queue: !this.writing });
      this.files.drop(files);
      if (this.draft === message) this.draft = "";
      this.writing = false;
      this.open();
      if (now && waits) this.queued.refresh().catch(() => {}); // shows the message as waiting, until its turn begins
    } catch (problem) {
      this.files.refused(problem.errors, files);
      this.#refuse(problem);
    }
    this.#stopped();
    this.#on.change();
  }

  // stopped ends sending. A message that was not accepted is a draft again.
  #stopped() {
    this.sending = false;
    this.#leaving = null;
    this.#stay();
  }

  // earlier loads older messages of a long chat. It resolves to false if that failed.
  async earlier() {
    const before = this.view.oldest;
    if (this.loading === before) return true;
    let loaded = true;
    this.loading = before;
    try {
      const older = await this.#client.snapshot({ before });
      if (this.view.oldest === before) this.view = earlier(this.view, older);
    } catch (problem) {
      loaded = false;
      this.#refuse(problem);
    }
    this.loading = "";
    this.#on.change();
    return loaded;
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
    this.#typed = null; // the gateway removes it with the question
    this.refused.delete(id);
    this.#answered.add(id);
    try {
      await this.#answer("answer", detail, [id]);
    } catch (problem) {
      this.#answered.delete(id);
      this.refused.set(id, problem);
      if (problem.status === 401) this.#on.lost(problem);
    }
    this.#on.change();
  }

  // #answer sends an answer. One to questions is kept while there is no connection.
  async #answer(kind, answer, ids) {
    const asked = this.view.pending.filter((c) => ids.includes(c.clarificationId));
    if (asked.length < ids.length || asked.some((c) => c.kind !== "question")) return sent(this.#client[kind](answer));
    await outbox.send(this, { kind, answer, label: asked[0].question ?? asked[0].questions?.[0]?.question ?? "", secret: asked.some((c) => c.questions?.some((q) => q.secret)) });
  }

  // arrived shows what the outbox has sent.
  arrived() {
    if (this.connection === "offline") this.pause(); // it would wait with its next attempt
    this.open();
    this.queued.refresh().catch(() => {});
  }

  // returned takes what the outbox could not send, or what was taken back from it (without a problem).
  returned({ kind, content, files = [], answer }, problem) {
    if (kind === "message") {
      this.queued.putBack([{ content, files }]);
      if (problem) this.#refuse(problem);
    } else {
      const ids = [answer].flat().map((a) => a.clarificationId);
      for (const id of ids) this.#answered.delete(id);
      if (kind === "answers") [this.#sentTogether, this.formRefused] = [new Set(), problem];
      else this.refused.set(ids[0], problem);
    }
    this.#on.change();
  }

  // answering reports whether an answer is being sent.
  answering(id) { return this.#answered.has(id); }

  // answers sends the answers of a form.
  async answers(details) {
    this.#on.acts();
    this.#typed = null;
    this.formRefused = null;
    this.#sentTogether = new Set(details.map((d) => d.clarificationId));
    for (const id of this.#sentTogether) this.#answered.add(id);
    try {
      await this.#answer("answers", details, [...this.#sentTogether]);
    } catch (problem) {
      for (const id of this.#sentTogether) this.#answered.delete(id);
      this.#sentTogether = new Set();
      this.formRefused = problem;
      if (problem.status === 401) this.#on.lost(problem);
    }
    this.#on.change();
  }

  // keepTyped saves a card's draft a moment after the last change.
  keepTyped({ clarificationId, draft }) {
    if (!draft) return;
    this.#typed = { clarificationId, draft };
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.saveTyped(), typingPause);
  }

  // saveTyped saves the draft immediately, because the page is closing. Errors are ignored: the card keeps
  // its own draft.
  saveTyped() {
    clearTimeout(this.#typing);
    if (!this.#typed) return;
    const { clarificationId, draft } = this.#typed;
    this.#typed = null;
    this.#saved = this.#saved.then(() => this.#client.saveDraft(clarificationId, draft, { keepalive: true })).catch(() => {});
  }

  // seen reports, once, that the user has seen a question.
  seen({ clarificationId }) {
    if (reported.has(clarificationId)) return;
    reported.add(clarificationId);
    this.#client.seen(clarificationId).catch(() => {}); // another window may report it as well
  }

  // searchOptions searches the options of the open question while the user types, searchIn those of
  // any question.
  searchOptions = (query, options) => this.#client.searchOptions(this.question.clarificationId, query, options);
  attachmentUrl = (...of) => this.#client.attachmentUrl(...of);
  upload = (...of) => this.#client.upload(...of);
  fileUrl = (...of) => this.#client.fileUrl(...of);
  searchIn = (...of) => this.#client.searchOptions(...of);

  // resume continues the turn after an error, a stop or a limit.
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

  // fork begins a new chat that copies this one up to a point. What waits for the turn that it stops is
  // put back into the composer first, that of the new chat. It resolves with the new id, or "" if it was
  // refused.
  async fork(point) {
    if (this.sending || this.waitsFor) return "";
    this.#on.acts();
    this.sending = true;
    this.problem = null;
    if (this.#changing) this.#changing = { ...this.#changing, problem: null };
    this.#on.change();
    let id = "";
    try {
      const back = point.stop && this.running && await this.queued.takeAllBack();
      id = await this.#client.fork(point);
      if (back && !this.files.list.length) [new Draft(this.#draftName(id)).text, this.draft] = [this.draft, ""]; // files belong to this chat
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

  // speak applies a change of the page's language.
  speak() {
    this.#client.locale = language;
  }

  // stopCall ends the turn that waits for a call which an application has to run. The call then has no
  // result.
  async stopCall(detail) {
    await this.answer({ ...detail, declined: true });
    if (!this.refused.has(detail.clarificationId)) await this.stop();
  }

  // stop ends the turn. What waits for it is put back into the composer first.
  async stop() {
    await this.queued.takeAllBack();
    try {
      await this.#client.stop();
    } catch (problem) {
      this.#refuse(problem);
      this.#on.change();
    }
  }

  // revoke withdraws a remembered approval. It rejects with a Problem. No event reports it.
  async revoke(tool) {
    await this.#client.revoke(tool);
    this.view = { ...this.view, approvals: this.view.approvals.filter((name) => name !== tool) };
    this.#on.change();
  }

  // refreshBranches loads the current branches, which no event reports.
  async refreshBranches() {
    try {
      const { root = "", branches = [] } = await this.#client.snapshot({ messages: 1 });
      this.view = { ...this.view, root, branches };
      this.#on.change();
    } catch { /* keep the known ones */ }
  }

  // erase deletes the chat, or all of its branches; it rejects with a Problem.
  async erase({ branches }) {
    this.close();
    try {
      await this.#client.erase({ branches });
      for (const id of [this.id, ...(branches ? this.view.branches.map((b) => b.chatId) : [])]) {
        Draft.drop(this.#draftName(id));
        keep(this.#filesName(id), "");
        outbox.erased(this.app, id);
      }
    } catch (problem) {
      this.open();
      throw problem;
    }
  }
}
