import { notOfType } from './findings.js';
import type { Values } from '../values.js';

/** Returns the problems of a `blocks` value, the nodes of a rich text. */
export const blockProblems = (nodes: readonly unknown[], path: string): string[] =>
  nodes.flatMap((node, index) => problemsOf(node, `${path}[${String(index)}]`, 'Block node is of invalid type', blocks));

type Checks = Readonly<Record<string, (node: Values, path: string) => string[]>>;

const inlineError = (name: string) => `${name} node children must have at least one Text or Link node`;

const inline: Checks = {
  text: (node, path) =>
    typeof node['text'] === 'string' ? modifierProblems(node, path) : ['Text must be defined with at least an empty string'],
  link: (node, path) => [
    ...(isUrl(node['url']) ? [] : ['Please specify a valid link.']),
    ...childProblems(node, path, {
      allowed: { text: inline['text'] ?? none },
      wrong: 'Link node children must have at least one Text node',
    }),
  ],
};

const inlineChildren = (name: string) => (node: Values, path: string) =>
  childProblems(node, path, { allowed: inline, wrong: 'Inline node must be Text or Link', empty: inlineError(name) });

const list = (node: Values, path: string): string[] => [
  ...oneOf(node, 'format', ['ordered', 'unordered'], path),
  ...childProblems(node, path, {
    allowed: { 'list-item': inlineChildren('List item'), list },
    wrong: 'Inline node must be list-item or list',
    empty: 'List node children must have at least one ListItem or ListNode',
  }),
];

const blocks: Checks = {
  paragraph: inlineChildren('Paragraph'),
  heading: (node, path) => [...oneOf(node, 'level', [1, 2, 3, 4, 5, 6], path), ...inlineChildren('Heading')(node, path)],
  quote: inlineChildren('Quote'),
  list,
  image: imageProblems,
  code: inlineChildren('Code'),
};

const imageKeys = ['name', 'url', 'width', 'height', 'hash', 'mime', 'size', 'provider', 'createdAt', 'updatedAt'];

function imageProblems(node: Values, path: string): string[] {
  const { image } = node;
  if (typeof image !== 'object' || image === null) return [`${path}.image is a required field`];
  return imageKeys.filter((key) => !(key in image)).map((key) => `${path}.image.${key} is a required field`);
}

function none(): string[] {
  return [];
}

function modifierProblems(node: Values, path: string): string[] {
  return ['bold', 'italic', 'underline', 'strikethrough', 'code']
    .filter((key) => node[key] !== undefined && typeof node[key] !== 'boolean')
    .map((key) => notOfType(`${path}.${key}`, 'boolean', node[key]));
}

function oneOf(node: Values, key: string, values: readonly unknown[], path: string): string[] {
  if (node[key] === undefined) return [`${path}.${key} is a required field`];
  return values.includes(node[key]) ? [] : [`${path}.${key} must be one of the following values: ${values.join(', ')}`];
}

interface ChildRules {
  readonly allowed: Checks;
  readonly wrong: string;
  readonly empty?: string;
}

function childProblems(node: Values, path: string, { allowed, wrong, empty }: ChildRules): string[] {
  const { children } = node;
  if (children === undefined) return [`${path}.children is a required field`];
  if (!Array.isArray(children)) return [notOfType(`${path}.children`, 'array', children)];
  if (children.length === 0) return empty === undefined ? [] : [empty];
  return children.flatMap((child, index) => problemsOf(child, `${path}.children[${String(index)}]`, wrong, allowed));
}

function problemsOf(node: unknown, path: string, wrong: string, checks: Checks): string[] {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return [notOfType(path, 'object', null, node)];
  const { type } = node as Values; // its form is tested above
  const check = typeof type === 'string' && Object.hasOwn(checks, type) ? checks[type] : undefined;
  return check === undefined ? [wrong] : check(node as Values, path);
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && (URL.canParse(value) || /^(mailto:|tel:|[#/])/.test(value));
}
