import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse, type Program } from 'acorn';
import type { BundlerPlugin } from './bundler.js';
import { type EnterpriseShare, enterpriseShare } from './enterprise-sources.js';

/** Compiled modules of the panel. The plugins that it consists of have no such folders. */
const moduleOfPanel = /[\\/]@strapi[\\/]admin[\\/]dist[\\/].+\.mjs$/;

const namespace = 'without-enterprise';

/**
 * Returns a plugin of esbuild that leaves out everything that comes from folders called `ee`, which have a license of their own. Modules
 * of such code are empty, and so are functions of it in other modules. The panel uses none of it, because the service says
 * `isEE: false`. Throws an Error if it is not known where a module comes from.
 */
export function dropEnterprise(): BundlerPlugin {
  const shares = new Map<string, Promise<EnterpriseShare>>();
  const shareOf = (file: string): Promise<EnterpriseShare> => {
    const share = shares.get(file) ?? enterpriseShare(file);
    shares.set(file, share);
    return share;
  };
  return {
    name: 'drop-enterprise',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\/.*\.mjs$/ }, async ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        const isDropped = moduleOfPanel.test(file) && (await shareOf(file)).kind === 'whole';
        return isDropped ? { path: 'empty', namespace } : undefined;
      });
      onLoad({ filter: /./, namespace }, () => ({ contents: 'export {};' }));
      onLoad({ filter: moduleOfPanel, namespace: 'file' }, async ({ path }) => {
        const share = await shareOf(path);
        if (share.kind === 'none') return undefined;
        const lines = share.kind === 'part' ? share.lines : null;
        return { contents: lines === null ? 'export {};' : withoutLines(await readFile(path, 'utf8'), lines), loader: 'js' };
      });
    },
  };
}

type Declared = Program['body'][number];

/** Returns a module without the declarations that begin in some lines. Their names stay: functions return an empty object. */
export function withoutLines(code: string, lines: ReadonlySet<number>): string {
  const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  let rest = code;
  for (const node of body.toReversed()) {
    if (!isAmong(node, lines)) continue;
    rest = rest.slice(0, node.start) + emptied(node) + rest.slice(node.end);
  }
  return rest;
}

const isAmong = ({ type, loc }: Declared, lines: ReadonlySet<number>): boolean =>
  type !== 'ImportDeclaration' && loc != null && lines.has(loc.start.line);

/** Returns a declaration of the same names without its code; nothing for other statements. */
function emptied(node: Declared): string {
  if (node.type === 'FunctionDeclaration') return `function ${node.id.name}() { return {}; }`;
  const names = namesOf(node);
  return names.length === 0 ? '' : `const ${names.map((name) => `${name} = () => ({})`).join(', ')};`;
}

function namesOf(node: Declared): readonly string[] {
  if (node.type === 'ClassDeclaration') return [node.id.name];
  return node.type === 'VariableDeclaration'
    ? node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
    : [];
}
