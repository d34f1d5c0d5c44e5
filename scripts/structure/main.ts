import { measureStructure } from './measure-structure.js';
import { formatTable } from './format-table.js';
import { loadProject } from './project.js';

const usage = `usage: npm run structure -- [DIRECTORY] [--list]
  DIRECTORY  the checkout to measure, with its dependencies installed (default: this one)
  --list     names what is counted, too`;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) console.log(usage);
else await printMeasures(args.find((arg) => !arg.startsWith('-')) ?? '.', args.includes('--list'));

async function printMeasures(directory: string, withItems: boolean): Promise<void> {
  const measures = await measureStructure(loadProject(directory));
  console.log(formatTable(measures));
  const lines = measures.flatMap(({ title, items = [] }) => items.map((item) => `${title}: ${item}`));
  if (withItems) console.log(lines.join('\n'));
}
