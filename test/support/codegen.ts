import path from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildClientSchema, getIntrospectionQuery, parse, printSchema, type IntrospectionQuery } from 'graphql';
import ts from 'typescript';

/** The schema of a running endpoint as SDL, found as code generators find it: by introspection. */
export async function readSchema(endpoint: string): Promise<string> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  const { data } = (await response.json()) as { data: IntrospectionQuery };
  return printSchema(buildClientSchema(data));
}

/** Returns the TypeScript that graphql-codegen writes for a schema in SDL and the operations of a client, by its defaults. */
export function generateTypes(sdl: string, operations: string): Promise<string> {
  return codegen({
    filename: 'types.ts',
    schema: parse(sdl),
    documents: [{ location: 'operations.graphql', document: parse(operations) }],
    config: {},
    plugins: [{ typescript: {} }, { typescriptOperations: {} }],
    pluginMap: { typescript, typescriptOperations },
  });
}

/**
 * Returns the errors of `tsc --strict` in files, given by name, as `name: message`. Each may import the others as `./name.js`.
 */
export function compileStrict(files: Readonly<Record<string, string>>, more: Partial<ts.CompilerOptions> = {}): string[] {
  const options = { ...baseOptions, ...more };
  const sources = new Map(Object.entries(files).map(([name, text]) => [path.resolve(name), text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = sources.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([...sources.keys()], options, host)).map(printDiagnostic);
}

/** Without the types of browsers and the check of the language's own, which take most of the time. */
const baseOptions: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipDefaultLibCheck: true,
  types: [],
};

const printDiagnostic = ({ file, messageText }: ts.Diagnostic): string =>
  `${path.basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
