/** What a note must look like, as JSON Schema. */

const members = {
  title: { type: 'string', minLength: 1, maxLength: 200 },
  body: { type: 'string', maxLength: 10_000 },
};

/** The body of `POST /notes`: a note that has no id yet. */
export const newNote = {
  type: 'object',
  required: ['title', 'body'],
  additionalProperties: false,
  properties: members,
};
