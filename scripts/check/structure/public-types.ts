import { join, relative } from 'node:path';
import ts from 'typescript';
import { walkNodes, type Project } from './project.js';

/**
 * Types of src that the public API reaches and does not export, as `file: name`. The API is what src/index.ts exports: its
 * declarations are followed as a user's compiler sees them, so that inferred types count and bodies do not.
 */
export function hiddenTypes(project: Project): readonly string[] {
  const program = declarationsOf(project);
  const checker = program.getTypeChecker();
  const entry = program.getSourceFile(join(project.root, 'src/index.d.ts'));
  const module = entry && checker.getSymbolAtLocation(entry);
  if (module === undefined) return [];
  const exported = new Set(checker.getExportsOfModule(module).map((symbol) => resolveAlias(symbol, checker)));
  const reached = reachFrom(exported, checker, join(project.root, 'src'));
  return [...reached]
    .flatMap((symbol) =>
      exported.has(symbol) || (symbol.flags & types) === 0 ? [] : [describe(symbol, join(project.root, 'src'))],
    )
    .sort();
}

/** A program of the declaration files that src would be compiled to, kept in memory. */
function declarationsOf({ root, program, sources }: Project): ts.Program {
  const texts = new Map<string, string>();
  const options: ts.CompilerOptions = {
    ...program.getCompilerOptions(),
    declaration: true,
    noEmit: false,
    emitDeclarationOnly: true,
  };
  const emitting = ts.createProgram(
    sources.map(({ file }) => file.fileName),
    options,
    undefined,
    program,
  );
  emitting.emit(undefined, (path, text) => void texts.set(path, text), undefined, true);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  // The sources themselves are hidden, or the compiler would prefer them.
  host.fileExists = (path) =>
    texts.has(path) || (fileExists(path) && !program.getSourceFile(path)?.fileName.startsWith(join(root, 'src')));
  return ts.createProgram([join(root, 'src/index.d.ts')], { ...program.getCompilerOptions(), noEmit: true }, host);
}

const resolveAlias = (symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

/** The symbols of declarations in `folder` that are named below the given ones. */
function reachFrom(start: ReadonlySet<ts.Symbol>, checker: ts.TypeChecker, folder: string): ReadonlySet<ts.Symbol> {
  const reached = new Set<ts.Symbol>();
  const visit = (symbol: ts.Symbol): void => {
    const declarations = (symbol.declarations ?? []).filter((declaration) => isOwn(declaration, folder));
    if (reached.has(symbol) || declarations.length === 0) return;
    reached.add(symbol);
    for (const declaration of declarations)
      walkNodes(declaration, (node) => {
        const named = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
        const target = named && resolveAlias(named, checker);
        if (target && (target.flags & declared) !== 0) visit(target);
      });
  };
  for (const symbol of start) visit(symbol);
  return reached;
}

const types = ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class;
/** `typeof` leads from a type to a value, and from that to further types. */
const declared = types | ts.SymbolFlags.Variable | ts.SymbolFlags.Function;

/** Whether something is declared by itself in a file of `folder`: parameters and locals belong to another declaration. */
const isOwn = (declaration: ts.Declaration, folder: string): boolean => {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.isSourceFile(statement.parent) && statement.parent.fileName.startsWith(`${folder}/`);
};

const describe = (symbol: ts.Symbol, folder: string): string =>
  `${relative(folder, symbol.declarations?.[0]?.getSourceFile().fileName ?? '').replace('.d.ts', '.ts')}: ${symbol.name}`;
