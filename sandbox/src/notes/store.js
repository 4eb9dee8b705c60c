/** Keeps the notes, in memory: they are gone when the process ends. */

/** @typedef {Readonly<{ id: string, title: string, body: string }>} Note */

export class NoteStore {
  /** @type {Map<string, Note>} notes by id; a map keeps the order in which they were added */
  #notes = new Map();
  #lastId = 0;

  /**
   * Stores a new note under an id of its own.
   *
   * @param {{ title: string, body: string }} content
   * @returns {Note} frozen, so that nobody can change a stored note from outside
   */
  create({ title, body }) {
    this.#lastId += 1;
    const note = Object.freeze({ id: String(this.#lastId), title, body });
    this.#notes.set(note.id, note);
    return note;
  }

  /** @returns {Note | undefined} */
  get(id) {
    return this.#notes.get(id);
  }

  /** @returns {Note[]} all notes, in order of creation */
  list() {
    return [...this.#notes.values()];
  }
}
