import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'node_modules/'] },
  ...tseslint.configs.strict,
  ...tseslint.configs.stylistic,
  {
    rules: {
      'max-lines': ['error', { max: 220, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true, IIFEs: true }],
      'max-depth': ['error', 3],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        { selector: 'TSEnumDeclaration', message: 'A union of texts instead.' },
        { selector: 'ExportAllDeclaration', message: 'No barrel files: import from where it is.' },
      ],
    },
  },
  { files: ['panel/**/*.jsx'] },
  { files: ['src/operate/cli/**'], ignores: ['src/operate/cli/print.ts'], rules: { 'no-console': 'error' } },
  { files: ['bin/*.cjs', 'test/strapi/differential/project/**'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: ['test/**', 'scripts/**'],
    rules: { 'max-lines-per-function': 'off', 'max-lines': 'off', '@typescript-eslint/no-unused-expressions': 'off' },
  },
);
