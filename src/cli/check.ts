import { resolve } from 'node:path';
import { environmentOf } from '../config/setting.js';
import { checkLines, checkProject } from './check-project.js';
import { print } from './print.js';
import { hasCode, projectFolder } from './project-folder.js';
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
  const isProject = directory !== resolve('.') || hasCode(directory);
  const checked = await checkProject({ directory, environment: productionName(), isProject });
  const { problems, warnings } = checked;
  for (const line of checkLines(checked)) print(line);
  print(`${String(problems.length)} problems, ${String(warnings.length)} warnings`);
  return problems.length > 0 || (values.strict && warnings.length > 0) ? 1 : 0;
}

/** Returns NODE_ENV if it names a production environment, such as staging; otherwise `production`. */
function productionName(): string {
  const { NODE_ENV: name = '' } = process.env;
  return environmentOf(name) === 'production' ? name : 'production';
}
