import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { NoteStore } from '../../src/notes/store.js';

describe('the store of notes', () => {
  let store;

  beforeEach(() => {
    store = new NoteStore();
  });

  test('is empty at first', () => {
    assert.deepEqual(store.list(), []);
  });

  test('gives a note an id when it creates it', () => {
    const note = store.create({ title: 'Milk', body: 'Two litres' });

    assert.deepEqual(note, { id: '1', title: 'Milk', body: 'Two litres' });
  });

  test('gives every note another id', () => {
    const ids = ['a', 'b', 'c'].map((title) => store.create({ title, body: '' }).id);

    assert.deepEqual(ids, ['1', '2', '3']);
  });

  test('finds a note by its id', () => {
    const note = store.create({ title: 'Milk', body: '' });

    assert.equal(store.get(note.id), note);
  });

  test('finds nothing under an id that no note has', () => {
    assert.equal(store.get('1'), undefined);
  });

  test('lists notes in order of creation', () => {
    for (let number = 1; number <= 11; number += 1) {
      store.create({ title: `Note ${number}`, body: '' });
    }

    assert.deepEqual(
      store.list().map((note) => note.id),
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'],
    );
  });

  test('keeps its notes from being changed from outside', () => {
    const content = { title: 'Milk', body: '' };
    const note = store.create(content);
    content.title = 'Bread';
    store.list().pop();

    assert.throws(() => Object.assign(note, content), TypeError);
    assert.deepEqual(store.list(), [{ id: '1', title: 'Milk', body: '' }]);
  });
});
