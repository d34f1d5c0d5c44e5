import { checkProject } from './check-project.js';
import { print } from './print.js';
import { projectFolder } from './project-folder.js';
import { parseWords } from './usage-error.js';

export const usage = `usage: npx mangrove check [--project DIR] [--strict]
  Prints what production would refuse or ignore in the project of the working directory, each with its file and what to do.
  Neither reads nor writes a database. The exit code is 1 if there is a problem, otherwise 0.
  --project DIR   check another folder (MANGROVE_PROJECT)
  --strict        exit with 1 also if there are only warnings`;

/** Checks a project. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const options = { project: { type: 'string' }, strict: { type: 'boolean', default: false } } as const;
  const { values } = parseWords({ args: [...args], options });
  const directory = projectFolder(values.project);
  const { problems, warnings } = await checkProject(directory);
  for (const line of problems) print(`problem  ${line}`);
  for (const line of warnings) print(`warning  ${line}`);
  print(`${String(problems.length)} problems, ${String(warnings.length)} warnings`);
  return problems.length > 0 || (values.strict && warnings.length > 0) ? 1 : 0;
}
