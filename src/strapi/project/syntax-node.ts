import { isRecord, type Values } from '#base/values.js';

/** A node of a syntax tree: https://github.com/estree/estree. */
export interface Node extends Values {
  readonly type: string;
}

/** A node with code that runs when it is called. */
interface FunctionNode extends Node {
  readonly type: 'FunctionExpression' | 'ArrowFunctionExpression' | 'FunctionDeclaration';
}

export const isNode = (value: unknown): value is Node => isRecord(value) && typeof value['type'] === 'string';

export const isFunction = (node: unknown): node is FunctionNode =>
  isNode(node) && ['FunctionExpression', 'ArrowFunctionExpression', 'FunctionDeclaration'].includes(node.type);

/** Returns the name or the text of a node; null for others. */
export const nameIn = (node: unknown): string | null => {
  if (!isNode(node)) return null;
  if (node.type === 'Identifier') return String(node['name']);
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null;
};

/** Returns the names in a pattern such as `{ seed, run: start }`. */
export const propertiesOf = (pattern: Node): readonly { readonly key: string; readonly value: string }[] =>
  (pattern.type === 'ObjectPattern' ? (pattern['properties'] as readonly Node[]) : []).flatMap((property) => {
    const [key, value] = [nameIn(property['key']), nameIn(property['value'])];
    return key === null || value === null ? [] : [{ key, value }];
  });

/** Returns the path of `require('path')`; null for anything else. */
export const requiredPath = (node: unknown): string | null =>
  isNode(node) && node.type === 'CallExpression' && nameIn(node['callee']) === 'require'
    ? nameIn((node['arguments'] as readonly unknown[])[0])
    : null;

/** Returns the name of a member or an export that is assigned: `default` for `module.exports`. */
export function assignedName(node: unknown): string | null {
  if (!isNode(node) || node.type !== 'MemberExpression') return nameIn(node);
  const [object, property] = [nameIn(node['object']), nameIn(node['property'])];
  return object === 'module' && property === 'exports' ? 'default' : property;
}

/** Returns whether a condition depends on a variable of the environment, which may have another value in production. */
export const isEnvironmental = (node: Node): boolean =>
  ['IfStatement', 'ConditionalExpression', 'LogicalExpression'].includes(node.type) && namesProcess(node['test'] ?? node['left']);

const namesProcess = (node: unknown): boolean =>
  nameIn(node) === 'process' || (isRecord(node) && Object.values(node).some((child) => [child].flat().some(namesProcess)));
