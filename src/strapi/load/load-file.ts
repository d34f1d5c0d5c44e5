import { relative } from 'node:path';
import { createSourceLoader, type LoadOptions, type MissingModule } from '../../config/load-source.js';
import type { CodeProblems } from './code-problems.js';
import { isLeftOut, leaveOut } from './left-out.js';

/** Returns a function that returns the exports of a file; undefined, after a warning, if it cannot run here. */
export async function createFileLoader(
  options: LoadOptions & { readonly directory: string },
  problems: CodeProblems,
): Promise<(file: string) => unknown> {
  const missing = ({ message }: MissingModule): unknown => {
    problems.tell(`${message}; what needs it fails`);
    return leaveOut(message);
  };
  const run = await createSourceLoader({ ...options, missing });
  return (file) => {
    const code = problems.running(relative(options.directory, file), () => run(file));
    return isLeftOut(code) ? undefined : code;
  };
}
