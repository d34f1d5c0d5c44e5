import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionNames, sectionsWith } from '../../src/settings/sections.js';
import type { SettingNode } from '../../src/settings/setting.js';
import { features } from '../../src/features.js';
import { packageRoot } from '../../src/base/package-root.js';
import { readPublishedFlaws } from '../../src/operate/doctor/strapi/published-flaws.js';

// Rewrites the tables of docs/configuration.md from the declared settings, and that of docs/security-of-v4.md from the published flaws;
// `--check` only says whether they are up to date.

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
/** Returns the table of published flaws of Strapi. */
function flawTable(): string {
  const { lookedUp, flaws } = readPublishedFlaws();
  const cells = flaws.map(({ id, also = [], published, severity, part, affected, what, here, note, test, source }) => [
    `[${id}](${source})${also.map((name) => ` ${name}`).join('')}`,
    published,
    severity,
    `${part}: ${affected.map(({ package: name, range }) => `\`${name}\` ${range}`).join('; ')}`,
    note === undefined ? what : `${what} ${note}`,
    here,
    `${test.title.replace(`${id}: `, '')} (\`${test.file}\`)`,
  ]);
  const rows = cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  const head = [
    '| Flaw | Published | Severity | Versions that have it | What it was | Why Mangrove does not have it | Test |',
    '|---|---|---|---|---|---|---|',
  ];
  return [`${String(flaws.length)} flaws, looked up on ${lookedUp}:`, '', ...head, ...rows].join('\n');
}

/** Generated parts of pages, between two comments of this name. */
const parts: readonly (readonly [page: string, name: string, text: string, what: string])[] = [
  ['docs/configuration.md', 'settings', tables.join('\n\n'), 'the tables'],
  ['docs/security-of-v4.md', 'flaws', flawTable(), 'the table'],
];
for (const [path, name, text, what] of parts) {
  const file = join(packageRoot, path);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const page = readFileSync(file, 'utf8');
  const [before, rest = ''] = page.split(begin);
  const [, after = ''] = rest.split(end);
  const written = `${before ?? ''}${begin}\n\n${text}\n\n${end}${after}`;
  if (written === page) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path}: ${what} ${what.endsWith('s') ? 'are' : 'is'} out of date; run npm run docs`);
    process.exitCode = 1;
  } else writeFileSync(file, written);
}
