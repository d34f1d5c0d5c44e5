import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { measureStructure } from './measure-structure.js';
import { formatTable } from './format-table.js';
import { loadProject, type Project } from './project.js';
import { walksPage, writeWalkTables } from './walk-tables.js';

const usage = `usage: npm run structure -- [DIRECTORY] [--list | --walks]
  DIRECTORY  the checkout to measure, with its dependencies installed (default: this one)
  --list     names what is counted, too
  --walks    writes the files of the functions that the walks of docs/architecture.md name`;

const args = process.argv.slice(2);
const directory = args.find((arg) => !arg.startsWith('-')) ?? '.';
if (args.includes('--help') || args.includes('-h')) console.log(usage);
else if (args.includes('--walks')) await writeWalks(loadProject(directory));
else printMeasures(loadProject(directory), args.includes('--list'));

function printMeasures(project: Project, withItems: boolean): void {
  const measures = measureStructure(project);
  console.log(formatTable(measures));
  const lines = measures.flatMap(({ title, items = [] }) => items.map((item) => `${title}: ${item}`));
  if (withItems) console.log(lines.join('\n'));
}

async function writeWalks(project: Project): Promise<void> {
  const path = join(project.root, walksPage);
  const { text, problems } = writeWalkTables(readFileSync(path, 'utf8'), project);
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: 'markdown' }));
  if (problems.length > 0) throw new Error(`${walksPage} names functions that cannot be found:\n${problems.join('\n')}`);
}
