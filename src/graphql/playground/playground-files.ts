/** The package whose built files make the playground. */
export const playgroundPackage = 'graphql-playground-react@1.7.28';

interface PlaygroundFile {
  /** In the package, and in the folder that the build copies it to. */
  readonly file: string;
  readonly type: string;
}

/** All that the page loads, by the path below the package's name, and the licence of it. */
export const playgroundFiles: Readonly<Record<string, PlaygroundFile>> = {
  'build/static/css/index.css': { file: 'build/static/css/index.css', type: 'text/css' },
  'build/static/js/middleware.js': { file: 'build/static/js/middleware.js', type: 'text/javascript' },
  'build/favicon.png': { file: 'build/favicon.png', type: 'image/png' },
  LICENSE: { file: 'LICENSE', type: 'text/plain' },
};
