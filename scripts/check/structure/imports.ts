import ts from 'typescript';
import { walkNodes } from './project.js';

/** The names that a file imports from a module, or `*` for all of them. */
export interface ImportedNames {
  /** As it is written: `./x.js`, or a package. */
  readonly module: string;
  readonly names: readonly string[];
}

/** Returns all imports and re-exports of a file: static, dynamic and type imports. */
export function readImports(file: ts.SourceFile): readonly ImportedNames[] {
  const found: ImportedNames[] = [];
  walkNodes(file, (node) => {
    const module = moduleOf(node);
    if (module !== null) found.push({ module, names: namesOf(node) });
  });
  return found;
}

function moduleOf(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return textOf(node.arguments[0]);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  return null;
}

const textOf = (node: ts.Node | undefined): string | null =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : null;

function namesOf(node: ts.Node): readonly string[] {
  if (ts.isImportDeclaration(node)) {
    const { importClause } = node;
    const bindings = importClause?.namedBindings;
    const named = bindings === undefined ? [] : ts.isNamedImports(bindings) ? elementNames(bindings) : ['*'];
    return [...(importClause?.name === undefined ? [] : ['default']), ...named];
  }
  if (ts.isExportDeclaration(node))
    return node.exportClause !== undefined && ts.isNamedExports(node.exportClause) ? elementNames(node.exportClause) : ['*'];
  if (ts.isImportTypeNode(node)) return [node.qualifier?.getText() ?? '*'];
  return dynamicNames(node);
}

const elementNames = ({ elements }: ts.NamedImports | ts.NamedExports): readonly string[] =>
  elements.map(({ name, propertyName }) => (propertyName ?? name).text);

/** `const { a, b } = await import('x')` takes a and b; any other use of a dynamic import may take everything. */
function dynamicNames(call: ts.Node): readonly string[] {
  const declaration = ts.isAwaitExpression(call.parent) ? call.parent.parent : call.parent;
  if (!ts.isVariableDeclaration(declaration) || !ts.isObjectBindingPattern(declaration.name)) return ['*'];
  return declaration.name.elements.map(({ name, propertyName }) => (propertyName ?? name).getText());
}
