import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { holdsStorage, walkNodes, type Project, type Source } from './project.js';

/** Comments of src that cite a document which the repository does not hold, as `file: comment`. */
export const outsideCitations = ({ root, sources }: Project): readonly string[] =>
  sources.flatMap((source) =>
    commentsOf(source).flatMap((comment) => (citesOutside(comment, root) ? [`${source.name}: ${comment}`] : [])),
  );

const citesOutside = (comment: string, root: string): boolean =>
  [...comment.matchAll(/[\w./-]+\.md\b/g)].some(
    ([path]) => !existsSync(join(root, path)) && !existsSync(join(root, 'docs', path)),
  );

function commentsOf({ file }: Source): readonly string[] {
  const ranges = new Map<number, ts.CommentRange>();
  walkNodes(file, (node) => {
    for (const range of ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(file.text, node.end) ?? []) ranges.set(range.pos, range);
  });
  return [...ranges.values()].map(({ pos, end }) => file.text.slice(pos, end).replace(/\s*\n\s*\*?\s*/g, ' '));
}

/**
 * Files outside store/ that know how entries are stored: a MongoDB operator as the key of an object, or a storage field. The filters
 * of the API have operators of the same names: model/query/, api/openapi/, api/mcp/ and the translation of filters are not looked at.
 */
export const storageFiles = ({ sources }: Project): readonly string[] =>
  sources.filter((source) => !holdsStorage(source) && knowsStorage(source)).map(({ name }) => name);

function knowsStorage({ name, file }: Source): boolean {
  let found = false;
  walkNodes(file, (node) => {
    if (namesStorageField(node) || (!isLanguage(name) && isOperatorKey(node))) found = true;
  });
  return found;
}

const namesStorageField = (node: ts.Node): boolean =>
  (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isIdentifier(node)) &&
  /^(_ranks|_group|_unique)\b/.test(node.text);

const isLanguage = (name: string): boolean =>
  /^(model\/query|api\/(openapi|mcp))\/|\/translate-(filters|query|read)\.ts$/.test(name);

const isOperatorKey = (node: ts.Node): boolean =>
  ts.isPropertyAssignment(node) &&
  (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name)) &&
  /^\$[a-z]/i.test(node.name.text) &&
  !ownKeys.has(node.name.text);

/** `$user` stands for the caller in rules, `$ref` for another part of a JSON schema. */
const ownKeys: ReadonlySet<string> = new Set(['$user', '$ref']);
