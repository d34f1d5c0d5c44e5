import type { Library } from './library.js';
import { answerNaively, type Question, type Row, type Sight } from './oracle.js';

/** Two questions about the same entries: those that the first one chooses. */
type Pair = readonly [Question, Question];

const links = ['shelf', 'tags', 'reviews'];

/** Returns a query with a tree that has the keys of two questions in two branches, and the functions of each at every level. */
export function spellTree([first, second]: Pair): string {
  const { filter, locale, preview } = first;
  const state = preview ? ', publicationState: PREVIEW' : '';
  const branches = [branch(first, 'a', first.keys), branch(second, 'b', second.keys)].filter((one) => one !== '');
  const groups = branches.length === 0 ? '' : `groupBy { ${branches.join(' ')} }`;
  return `{ volumes_connection(filters: ${filter.graphql}, locale: "${locale}"${state}) {
    aggregate { count ${spellFunctions(first)} } ${groups}
  } }`;
}

function branch(question: Question, name: string, [key, ...rest]: readonly string[]): string {
  if (key === undefined) return '';
  const [path = '', unit] = key.split(':');
  const [attribute = '', field] = path.split('.');
  const isLink = links.includes(attribute);
  const entry = isLink ? `entry { id ${field === undefined ? '' : `attributes { ${field} }`} }` : '';
  const inner = rest.length === 0 ? '' : `groupBy { ${branch(question, name, rest)} }`;
  const groups = `{ key ${entry} connection { aggregate { count ${spellFunctions(question)} } ${inner} } }`;
  const args = unit === undefined ? '' : `(by: ${unit.toUpperCase()}, timezone: "${question.timezone}")`;
  return isLink || field === undefined
    ? `${name}: ${attribute}${args} ${groups}`
    : `${name}: ${attribute} { ${field} ${groups} }`;
}

const spellFunctions = ({ functions }: Question): string =>
  functions.map(([name, attribute]) => `${name} { ${attribute.replace(/\.(.*)/, ' { $1 }')} }`).join(' ');

/** Returns what a connection answers to a tree; null if a grouping has too many groups. */
export function answerTree([first, second]: Pair, library: Library, sight: Sight): object | null {
  const { filter, locale, preview } = first;
  const branches = [first, { ...second, filter, locale, preview }].map((one) => {
    const levels = [...one.keys, ''].map((_, depth) =>
      answerNaively({ ...one, keys: one.keys.slice(0, depth), having: null, sort: null }, library, sight),
    );
    return { question: one, levels };
  });
  if (branches.some(({ levels }) => levels.some((rows) => rows.length > 1000))) return null;
  const groupBy = Object.fromEntries(
    branches.flatMap(({ question, levels }, index) =>
      question.keys.length === 0 ? [] : [[index === 0 ? 'a' : 'b', answerLevel(question, levels, [], index === 0 ? 'a' : 'b')]],
    ),
  );
  const [all] = branches[0]?.levels[0] ?? [];
  return {
    aggregate: all === undefined ? null : showRow(all),
    ...(Object.keys(groupBy).length > 0 && { groupBy }),
  };
}

/** Returns the groups that have the outer keys, by the next one. */
function answerLevel(question: Question, levels: readonly (readonly Row[])[], outer: readonly unknown[], name: string): unknown {
  const depth = outer.length;
  const key = question.keys[depth] ?? '';
  const [attribute = '', field] = (key.split(':')[0] ?? '').split('.');
  const isLink = links.includes(attribute);
  const rows = (levels[depth + 1] ?? []).filter((row) =>
    outer.every((value, index) => JSON.stringify(Object.values(row.group)[index]) === JSON.stringify(value)),
  );
  const groups = rows.map((row) => {
    const values = Object.values(row.group);
    const value = values[depth] as { readonly id: number } | null;
    const attributes = field === undefined ? {} : { attributes: { [field]: (value as Record<string, unknown> | null)?.[field] } };
    const inner = question.keys.length === depth + 1 ? {} : { groupBy: { [name]: answerLevel(question, levels, values, name) } };
    return {
      key: isLink && value !== null ? String(value.id) : value,
      ...(isLink && { entry: value && { id: String(value.id), ...attributes } }),
      connection: { aggregate: showRow(row), ...inner },
    };
  });
  return isLink || field === undefined ? groups : { [field]: groups };
}

function showRow(row: Row): object {
  const figures = Object.entries(row).filter(([name]) => name !== 'group' && name !== 'count');
  const shown = figures.map(([name, values]) => {
    const own: Record<string, unknown> = {};
    for (const [attribute, value] of Object.entries(values as Record<string, unknown>)) {
      const [path = '', inner] = attribute.split('.');
      const number = attribute === 'serial' && value !== null && Number.isSafeInteger(Number(value)) ? Number(value) : value;
      own[path] = inner === undefined ? number : { [inner]: number };
    }
    return [name, own] as const;
  });
  return { count: row.count, ...Object.fromEntries(shown) };
}
