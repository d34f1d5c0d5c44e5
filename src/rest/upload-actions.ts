import { findMany } from '../content/find-many.js';
import { findOne } from '../content/find-one.js';
import { remove } from '../content/remove.js';
import { notFoundError } from '../errors.js';
import type { Running } from '../http/running.js';
import { fileType } from '../media/file-type.js';
import { emptyQuery } from '../query/ast.js';
import { parseWhole } from '../query/parse-pagination.js';
import { parseQuery } from '../query/parse-query.js';
import { parseQueryString } from './parse-query-string.js';
import { flatEntry, type Json } from './envelope.js';
import { receive } from './receive-files.js';
import type { UploadInput } from './upload-services.js';

/** What a method does on a path; `name` is the right that it needs, behind `plugin::upload.content-api.`. */
export interface UploadAction {
  readonly name: string;
  readonly run: (input: UploadInput) => Promise<Json | readonly Json[]>;
}

/** New files, or with `?id=` other information or content for one. */
export const receiveFiles: UploadAction = { name: 'upload', run: receive };

/** A bare list; the reference gives all files where no limit is asked for, we do up to this many. */
const longestList = 10_000;

export const listFiles: UploadAction = {
  name: 'find',
  run: async (request) => {
    const { content, running } = request;
    const input = readParameters(request);
    const window = { start: parseWhole('start', input) ?? 0, limit: parseWhole('limit', input) ?? longestList };
    const pagination = { kind: 'offset', ...window, withCount: false } as const;
    const asked = parseQuery(without(input, paging), running.config.api.limits);
    const query = { ...asked, publicationState: asked.publicationState ?? 'preview', pagination, withTotal: false };
    const settings = { ...content.bind.settings, maxLimit: longestList };
    const { entries } = await findMany(fileType(content), query, {
      ...content,
      bind: { ...content.bind, settings },
    });
    return entries.map(flatEntry);
  },
};

/** `start` and `limit` are read here; the rest has no effect, as in the reference. */
const paging: ReadonlySet<string> = new Set(['start', 'limit', 'page', 'pageSize', 'pagination']);

const without = (input: Readonly<Record<string, unknown>>, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)));

export const findFile: UploadAction = {
  name: 'findOne',
  run: async (request) => {
    const { id, content, running } = request;
    const { populate } = readParameters(request);
    const query = populate === undefined ? emptyQuery : { ...emptyQuery, ...pick(populate, running) };
    return flatEntry((await findOne(fileType(content), id, query, content)) ?? missing());
  },
};

const pick = (populate: unknown, { config }: Running) => ({
  populate: parseQuery({ populate }, config.api.limits).populate,
});

const readParameters = ({ ctx, running }: UploadInput) => parseQueryString(ctx.querystring, running.config.api.limits);

export const deleteFile: UploadAction = {
  name: 'destroy',
  run: async ({ id, content }) => flatEntry((await remove(fileType(content), id, emptyQuery, content)) ?? missing()),
};

function missing(): never {
  throw notFoundError('file.notFound');
}
