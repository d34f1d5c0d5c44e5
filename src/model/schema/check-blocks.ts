import { isRecord } from '#base/values.js';
import { maximumErrors, notOfType } from './findings.js';
import { toNumber } from './scalars/numbers.js';
import type { Problem } from './scalars/rule.js';

type Check = (value: unknown, path: string) => Problem[];

/** Returns the problems of a `blocks` value, the nodes of a rich text, as Strapi v4 reports them. */
export const blockProblems = (nodes: readonly unknown[], path: string): Problem[] => each(nodes, path, block);

/** Returns the problems of all items; stops at the number that an answer lists. */
function each(items: readonly unknown[], path: string, check: Check): Problem[] {
  const problems: Problem[] = [];
  for (const [index, item] of items.entries()) {
    if (problems.length >= maximumErrors) break;
    problems.push(...check(item, `${path}[${String(index)}]`));
  }
  return problems;
}

const problem = (path: string, message: string): Problem[] => [{ path, message }];

/** Returns the check of a required value. `type` is its name in messages about null. */
const required =
  (type: string, check: Check): Check =>
  (value, path) => {
    if (value === undefined || (value === '' && type === 'string')) return problem(path, `${path} is a required field`);
    return value === null ? problem(path, notOfType(path, type, null)) : check(value, path);
  };

const node =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, path) =>
    isRecord(value)
      ? Object.entries(fields).flatMap(([key, check]) => check(value[key], `${path}.${key}`))
      : problem(path, notOfType(path, 'object', null, value));

const oneOf = (type: string, values: readonly unknown[]): Check =>
  required(type, (value, path) =>
    values.includes(value) ? [] : problem(path, `${path} must be one of the following values: ${values.join(', ')}`),
  );

/** Returns the check of a node, which is chosen by its `type`. */
const byType =
  (checks: Readonly<Record<string, Check>>, wrong: string): Check =>
  (value, path) => {
    const type = isRecord(value) ? value['type'] : undefined;
    const check = typeof type === 'string' && Object.hasOwn(checks, type) ? checks[type] : undefined;
    return check === undefined ? problem(path, wrong) : check(value, path);
  };

const children = (check: Check, empty: string | null): Check =>
  required('array', (value, path) => {
    if (!Array.isArray(value)) return problem(path, notOfType(path, 'array', null, value));
    return value.length === 0 && empty !== null ? problem(path, empty) : each(value, path, check);
  });

const atLeastOne = (name: string): string => `${name} node children must have at least one Text or Link node`;

const flag: Check = (value, path) =>
  value === undefined || typeof value === 'boolean' ? [] : problem(path, notOfType(path, 'boolean', value));

const anyText = required('string', (value, path) =>
  typeof value === 'object' ? problem(path, notOfType(path, 'string', value)) : [],
);

const anyNumber = required('number', (value, path) =>
  Number.isFinite(toNumber(value)) ? [] : problem(path, notOfType(path, 'number', NaN, value)),
);

const text = node({
  type: oneOf('string', ['text']),
  text: (value, path) => (typeof value === 'string' ? [] : problem(path, 'Text must be defined with at least an empty string')),
  bold: flag,
  italic: flag,
  underline: flag,
  strikethrough: flag,
  code: flag,
});

const link = node({
  url: (value, path) => (isUrl(value) ? [] : problem(path, 'Please specify a valid link.')),
  children: children(text, null),
});

const isUrl = (value: unknown): boolean => typeof value === 'string' && (value.startsWith('/') || URL.canParse(value));

const inline = byType({ text, link }, 'Inline node must be Text or Link');

const listItem: Check = byType(
  { list: (value, path) => list(value, path), 'list-item': node({ children: children(inline, null) }) },
  'Inline node must be list-item or list',
);

const list = node({
  format: oneOf('string', ['ordered', 'unordered']),
  children: children(listItem, 'List node children must have at least one ListItem or ListNode'),
});

/** Checks an image. An absent one is reported as an image without any of its required fields. */
const image: Check = (value = {}, path) => file(value, path);

const file = node({
  name: anyText,
  url: anyText,
  width: anyNumber,
  height: anyNumber,
  formats: required('object', node({})),
  hash: anyText,
  ext: anyText,
  mime: anyText,
  size: anyNumber,
  provider: anyText,
  createdAt: anyText,
  updatedAt: anyText,
});

const block = byType(
  {
    paragraph: node({ children: children(inline, atLeastOne('Paragraph')) }),
    heading: node({ level: oneOf('number', [1, 2, 3, 4, 5, 6]), children: children(inline, atLeastOne('Heading')) }),
    quote: node({ children: children(inline, atLeastOne('Quote')) }),
    list,
    image: node({ image, children: children(inline, null) }),
    // the message of Strapi v4 says Quote here
    code: node({ children: children(text, atLeastOne('Quote')) }),
  },
  'Block node is of invalid type',
);
