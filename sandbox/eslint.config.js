/** Lint rules: the recommended ones, and a few that keep the code small and plain. */

import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: globals.node },
    rules: {
      complexity: ['error', 8],
      curly: 'error',
      eqeqeq: 'error',
      'no-console': ['error', { allow: ['error'] }],
      'no-duplicate-imports': 'error',
      'no-shadow': 'error',
      'no-throw-literal': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
    },
  },
];
