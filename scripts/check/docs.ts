import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionNames, sectionsWith } from '../../src/settings/sections.js';
import type { SettingNode } from '../../src/settings/setting.js';
import { features } from '../../src/features.js';
import { packageRoot } from '../../src/base/package-root.js';

/** Rewrites the tables of docs/configuration.md from the declared settings; `--check` only says whether they are up to date. */
const file = join(packageRoot, 'docs/configuration.md');
const [begin, end] = ['<!-- settings -->', '<!-- /settings -->'];

function rows(node: SettingNode, path: string): string[] {
  if (node.kind === 'group')
    return Object.entries(node.settings).flatMap(([name, inner]) => rows(inner, path === '' ? name : `${path}.${name}`));
  const cells = [
    `\`${path}\``,
    `\`${JSON.stringify(node.default)}\``,
    node.variable === null ? '' : `\`${node.variable}\``,
    node.about,
  ];
  return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`];
}

const sections = sectionsWith(features);
const tables = sectionNames.map((name) =>
  [`**config/${name}**`, '', '| Setting | Default | Variable | Meaning |', '|---|---|---|---|', ...rows(sections[name], '')].join(
    '\n',
  ),
);
const page = readFileSync(file, 'utf8');
const [before, rest = ''] = page.split(begin);
const [, after = ''] = rest.split(end);
const written = `${before ?? ''}${begin}\n\n${tables.join('\n\n')}\n\n${end}${after}`;
if (process.argv.includes('--check')) {
  if (written !== page) {
    console.error('docs/configuration.md: the tables are out of date; run npm run docs');
    process.exitCode = 1;
  }
} else writeFileSync(file, written);
