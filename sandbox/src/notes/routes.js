/** The endpoints of notes. */

import { newNote } from './schema.js';

// The form in which Fastify itself reports an error.
const NOT_FOUND = { statusCode: 404, error: 'Not Found', message: 'Note not found' };

/**
 * @param {import('fastify').FastifyInstance} app
 * @param {{ notes: import('./store.js').NoteStore }} options
 */
export async function notesRoutes(app, { notes }) {
  app.get('/notes', async () => notes.list());

  app.post('/notes', { schema: { body: newNote } }, async (request, reply) => {
    const note = notes.create(request.body);
    return reply.code(201).header('location', `/notes/${note.id}`).send(note);
  });

  app.get('/notes/:id', async (request, reply) => {
    const note = notes.get(request.params.id);
    return note ?? reply.code(404).send(NOT_FOUND);
  });
}
