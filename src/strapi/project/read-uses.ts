import { readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { transform } from 'sucrase';
import type { FileUses, FunctionUses, Import, Step } from './file-uses.js';
import {
  assignedName,
  isEnvironmental,
  isFunction,
  isNode,
  nameIn,
  type Node,
  propertiesOf,
  requiredPath,
} from './syntax-node.js';

/** The package whose exports files use besides `strapi`. Their chains begin with its name. */
export const utils = '@strapi/utils';

/** Returns the uses of `strapi` and of the package in a file. Throws a SyntaxError if it cannot be parsed. */
export function readUses(file: string): FileUses {
  const source = readFileSync(file, 'utf8');
  const code = /\.tsx?$/.test(file)
    ? transform(source, { transforms: ['typescript'], disableESTransforms: true, filePath: file }).code
    : source;
  const options = { ecmaVersion: 'latest', locations: true, allowHashBang: true, allowReturnOutsideFunction: true } as const;
  const reader = new UseReader();
  reader.read(parse(code, { ...options, sourceType: 'module' }) as unknown as Node); // the nodes have this form
  return reader;
}

interface Place {
  readonly uses: FunctionUses;
  readonly isGuarded: boolean;
}

/** Methods that call a function before they return, or whose promise waits for it. */
const callers: ReadonlySet<string | null> = new Set(
  'map flatMap forEach filter find findIndex some every reduce sort then catch finally call apply'.split(' '),
);

/** Functions that call another one later, when nobody waits for it. */
const timers: ReadonlySet<string | null> = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);

/** Returns the place of a function that another one is called with: its error reaches the caller only if it is called at once. */
function insideOf(callee: Node, place: Place): Place {
  const isCalled = callee.type === 'MemberExpression' ? callers.has(nameIn(callee['property'])) : !timers.has(nameIn(callee));
  return isCalled ? place : { ...place, isGuarded: true };
}

class UseReader implements FileUses {
  readonly functions = new Map<string, FunctionUses>();
  readonly otherNames = new Map<string, string>();
  readonly imports = new Map<string, Import>();
  /** Chains by the names of variables that hold them. */
  readonly #variables = new Map<string, readonly Step[]>([['strapi', []]]);

  read(program: Node): void {
    this.#visit(program, { uses: this.#functionOf(''), isGuarded: false });
  }

  #functionOf(name: string | null): FunctionUses {
    const uses = (name === null ? undefined : this.functions.get(name)) ?? { chains: [], calls: [] };
    this.functions.set(name ?? `(${String(this.functions.size)})`, uses);
    return uses;
  }

  #visit(node: Node, place: Place): void {
    if (node.type === 'ImportDeclaration') this.#readImport(node);
    else if (node.type === 'VariableDeclarator') this.#readVariable(node, place);
    else if (isFunction(node)) this.#visitFunction(node, nameIn(node['id']));
    else if (node.type === 'CallExpression') this.#visitCall(node, place);
    else if (['Property', 'MethodDefinition', 'AssignmentExpression', 'ExportDefaultDeclaration'].includes(node.type))
      this.#visitNamed(node, place);
    else if (node.type === 'MemberExpression') this.#visitMember(node, place);
    else this.#visitChildren(node, isEnvironmental(node) ? { ...place, isGuarded: true } : place);
  }

  #visitChildren(node: Node, place: Place): void {
    for (const [key, child] of Object.entries(node)) {
      const isTried = node.type === 'TryStatement' && key === 'block' && node['handler'] !== null;
      for (const one of [child].flat()) if (isNode(one)) this.#visit(one, isTried ? { ...place, isGuarded: true } : place);
    }
  }

  #visitFunction(node: Node, name: string | null): void {
    this.#visitChildren(node, { uses: this.#functionOf(name), isGuarded: false });
  }

  /** Functions get the name of the member, variable or export that they are assigned to. */
  #visitNamed(node: Node, place: Place): void {
    const name = node.type === 'ExportDefaultDeclaration' ? 'default' : assignedName(node['key'] ?? node['left']);
    const value = node['value'] ?? node['right'] ?? node['declaration'];
    const other = nameIn(value);
    if (isFunction(value)) {
      const own = nameIn(value['id']);
      if (own !== null && name !== null && own !== name) this.otherNames.set(name, own);
      this.#visitFunction(value, own ?? name);
    } else {
      if (name !== null && other !== null && name !== other) this.otherNames.set(name, other);
      this.#visitChildren(node, place);
    }
  }

  /** Functions that are passed to another one belong to it, but not those that `strapi` keeps, such as tasks and listeners. */
  #visitCall(node: Node, place: Place): void {
    const callee = node['callee'] as Node; // every call has one
    const chain = this.#stepsOf(callee);
    const steps = chain?.[0]?.name === utils ? null : chain;
    const member = callee.type === 'MemberExpression' ? callee : null;
    const name = nameIn(member === null ? callee : member['object']);
    if (name !== null && steps === null) place.uses.calls.push({ name, member: member && nameIn(member['property']) });
    if (isFunction(callee)) this.#visitChildren(callee, place);
    else if (chain !== null) this.#addChain(this.#stepsOf(node) === null ? callee : node, place);
    else this.#visit(callee, place);
    const inside = steps === null ? insideOf(callee, place) : steps.at(-1)?.name === 'transaction' ? place : null;
    for (const argument of node['arguments'] as readonly Node[])
      if (isFunction(argument) && inside !== null) this.#visitChildren(argument, inside);
      else this.#visit(argument, place);
    if (chain !== null) this.#visitArguments(callee, place);
  }

  /** Visits the arguments of calls inside of a chain. */
  #visitArguments(node: unknown, place: Place): void {
    if (!isNode(node)) return;
    if (node.type === 'CallExpression') for (const one of node['arguments'] as readonly Node[]) this.#visit(one, place);
    this.#visitArguments(node['object'] ?? node['callee'] ?? node['expression'], place);
  }

  #visitMember(node: Node, place: Place): void {
    if (this.#stepsOf(node) === null) this.#visitChildren(node, place);
    else {
      this.#addChain(node, place);
      this.#visitArguments(node, place);
    }
  }

  #addChain(node: Node, { uses, isGuarded }: Place): void {
    const steps = this.#stepsOf(node);
    const { start } = node['loc'] as { readonly start: { readonly line: number } }; // `locations` adds it
    if (steps !== null && steps.length > 0) uses.chains.push({ steps, line: start.line, isGuarded });
  }

  /** Returns the steps from `strapi`, or the package, to a value; null if it is something else. */
  #stepsOf(node: unknown): readonly Step[] | null {
    if (!isNode(node)) return null;
    if (node.type === 'Identifier') return this.#variables.get(String(node['name'])) ?? null;
    if (node.type === 'ChainExpression' || node.type === 'AwaitExpression')
      return this.#stepsOf(node['expression'] ?? node['argument']);
    if (requiredPath(node) === utils) return [{ name: utils, argument: null }];
    if (node.type === 'CallExpression') return this.#calledSteps(node);
    if (node.type !== 'MemberExpression') return null;
    const before = this.#stepsOf(node['object']);
    const isComputed = node['computed'] === true && (node['property'] as Node).type !== 'Literal';
    const name = isComputed ? null : nameIn(node['property']);
    return before === null || name === null ? null : [...before, { name, argument: null }];
  }

  #calledSteps(node: Node): readonly Step[] | null {
    const steps = this.#stepsOf(node['callee']);
    const last = steps?.at(-1);
    const [argument, ...more] = node['arguments'] as readonly Node[];
    if (steps === null || last === undefined || more.length > 0 || argument?.type !== 'Literal') return null;
    return [...steps.slice(0, -1), { ...last, argument: String(argument['value']) }];
  }

  #readVariable(node: Node, place: Place): void {
    const { id, init } = node as Node & { readonly id: Node };
    const name = nameIn(id);
    const from = requiredPath(init);
    const steps = this.#stepsOf(init);
    if (from !== null) this.#importAs(id, from);
    else if (isFunction(init)) this.#visitFunction(init, name);
    else {
      if (steps !== null) this.#nameSteps(id, steps);
      if (isNode(init)) this.#visit(init, place);
    }
  }

  #nameSteps(id: Node, steps: readonly Step[]): void {
    const name = nameIn(id);
    if (name !== null && name !== 'strapi') this.#variables.set(name, steps);
    for (const { key, value } of propertiesOf(id)) {
      const step = { name: key, argument: null };
      if (value !== 'strapi') this.#variables.set(value, [...steps, step]);
    }
  }

  #importAs(id: Node, from: string): void {
    const name = nameIn(id);
    if (name !== null) this.#import(name, { from, name: null });
    for (const { key, value } of propertiesOf(id)) this.#import(value, { from, name: key });
  }

  #readImport(node: Node): void {
    const from = nameIn(node['source']) ?? '';
    for (const one of node['specifiers'] as readonly Node[]) {
      const local = nameIn(one['local']) ?? '';
      this.#import(local, { from, name: one.type === 'ImportSpecifier' ? nameIn(one['imported']) : null });
    }
  }

  #import(local: string, imported: Import): void {
    this.imports.set(local, imported);
    if (imported.from !== utils) return;
    const names = imported.name === null ? [utils] : [utils, imported.name];
    this.#variables.set(local, names.map((name) => ({ name, argument: null }))); // prettier-ignore
  }
}
