import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { features } from '#features.js';
import { sectionNames, sectionsWith } from '#settings/sections.js';
import type { SettingNode } from '#settings/setting.js';
import { commandNames } from '#operate/cli/program.js';

/** Each is a promise to those who build on Mangrove (docs/versions.md): a name that goes breaks their code. */
interface PublicNames {
  /** By entry of the package: the names that it exports, values and types. */
  readonly exports: Readonly<Record<string, readonly string[]>>;
  readonly commands: readonly string[];
  readonly settings: readonly string[];
  readonly variables: readonly string[];
  readonly metrics: readonly string[];
}

const root = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const promised = new URL('public-names.json', import.meta.url);

/** The sources of the entries that package.json gives to others. */
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries((JSON.parse(read('package.json')) as { exports: Record<string, { default: string }> }).exports).map(
    ([name, file]) => [name, file.default.replace('./dist/', '').replace(/\.js$/, '.ts')],
  ),
);

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** The names that a statement of an entry exports. */
function exportedBy(node: ts.Statement): readonly string[] {
  if (ts.isExportDeclaration(node))
    return node.exportClause && ts.isNamedExports(node.exportClause)
      ? node.exportClause.elements.map(({ name }) => name.text)
      : ['*'];
  if (!isExported(node)) return [];
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText());
  return 'name' in node ? [(node.name as ts.Identifier).text] : [];
}

const statementsOf = (file: string): readonly ts.Statement[] => [
  ...ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true).statements,
];

/** The paths of the settings below a node, or their environment variables. */
const settingsOf = (node: SettingNode, path: string): readonly (readonly [path: string, variable: string | null])[] =>
  node.kind === 'group'
    ? Object.entries(node.settings).flatMap(([name, inner]) => settingsOf(inner, `${path}.${name}`))
    : [[path, node.variable]];

function presentNames(): PublicNames {
  const sections = sectionsWith(features);
  const settings = sectionNames.flatMap((name) => settingsOf(sections[name], name));
  return {
    exports: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, statementsOf(file).flatMap(exportedBy).sort()]),
    ),
    commands: [...commandNames].sort(),
    settings: settings.map(([path]) => path).sort(),
    variables: [...new Set(settings.flatMap(([, variable]) => variable ?? []))].sort(),
    metrics: [...read('src/api/metrics/metrics.ts').matchAll(/ name: [`']((?:mangrove|http|db|nodejs)_\w+)/g)]
      .flatMap(([, name]) => name ?? [])
      .sort(),
  };
}

describe('public names', () => {
  const present = presentNames();
  // After a release: PUBLIC_NAMES=write adds the names that are new.
  if (process.env['PUBLIC_NAMES'] === 'write') writeFileSync(promised, `${JSON.stringify(present, null, 2)}\n`);
  const kept = JSON.parse(readFileSync(promised, 'utf8')) as PublicNames;
  const missing = (names: readonly string[], now: readonly string[]): readonly string[] =>
    names.filter((name) => !now.includes(name));

  for (const [entry, names] of Object.entries(kept.exports))
    it(`that ${entry} exports are still exported`, () => {
      expect(missing(names, present.exports[entry] ?? [])).to.deep.equal([]);
    });

  for (const kind of ['commands', 'settings', 'variables', 'metrics'] as const)
    it(`of ${kind} are still there`, () => {
      expect(kept[kind].length).to.be.greaterThan(5);
      expect(missing(kept[kind], present[kind])).to.deep.equal([]);
    });

  it('are no names of src/store', () => {
    const sources = statementsOf('src/index.ts').filter(ts.isExportDeclaration);
    const from = sources.map(({ moduleSpecifier }) => moduleSpecifier?.getText() ?? '');
    expect(from.length).to.be.greaterThan(20);
    expect(from.filter((file) => file.includes('#store/'))).to.deep.equal([]);
  });
});
