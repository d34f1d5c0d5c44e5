import type { Context } from 'koa';
import { type ApiError, badRequestError, validationError } from '#base/errors.js';
import type { Caller } from '#content/rights/caller.js';
import { withEntry } from '#model/query/entry-access.js';
import { text } from '../json-schema.js';
import type { Answer, Step } from '../route.js';
import { requestIdOf } from '../route-request.js';
import type { EntryKeys } from '../running.js';
import { isRead } from '../tag-answers.js';

const [header, parameter] = ['X-Preview-Token', 'previewToken'] as const;
const [headerKey, assignment] = [header.toLowerCase(), `${parameter}=`];

const description = 'A token of an editor that shows one draft, if previews are enabled';

/** Answers may be seen by the holder of the key alone, and pages must not tell other sites of it. */
const secret = { 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer' } as const;

/**
 * Returns the key of a request, and removes it from its address, so that nothing else sees or keeps it; null if there is none. Throws a
 * ValidationError for several keys.
 */
export function takeEntryKey(ctx: Context): string | null {
  const sent = ctx.req.headers[headerKey];
  const keys = sent === undefined ? [] : [sent].flat();
  if (ctx.querystring.includes(assignment)) keys.push(...takeParameter(ctx));
  const [key, second] = new Set(keys);
  if (key === undefined) return null;
  ctx.set(secret);
  if (second !== undefined) throw validationError(`Invalid parameter ${parameter}: expected one key`);
  return key;
}

function takeParameter(ctx: Context): string[] {
  const parts = ctx.querystring.split('&');
  const taken = parts.filter((part) => part.startsWith(assignment));
  if (taken.length > 0) ctx.querystring = parts.filter((part) => !taken.includes(part)).join('&');
  return taken.map((part) => new URLSearchParams(part).get(parameter) ?? '');
}

/** Returns whether texts are marked: by `sourceMap=stega`, which it removes too. Throws a ValidationError for other values. */
function takesMarks(ctx: Context): boolean {
  if (!ctx.querystring.includes('sourceMap=')) return false;
  const parts = ctx.querystring.split('&');
  const maps = parts.filter((part) => part.startsWith('sourceMap='));
  if (maps.length === 0) return false;
  if (maps.some((part) => part !== 'sourceMap=stega')) throw validationError('Invalid parameter sourceMap: expected stega');
  ctx.querystring = parts.filter((part) => !maps.includes(part)).join('&');
  return true;
}

/** Returns the caller with the entry that the key of a request opens. */
async function withOpened(caller: Caller, open: () => ReturnType<EntryKeys['open']>, address: string | null): Promise<Caller> {
  const { marking, ...grant } = await open();
  const access = withEntry(caller.access, grant);
  if (address === null || access.entry === undefined) return { ...caller, access };
  return { ...caller, access: { ...access, entry: { ...access.entry, mark: marking(address) } } };
}

/** Returns the error for a key of a request that may write. */
export const wrongMethod = (): ApiError => badRequestError(`The header ${header} is for requests that read`);

/**
 * Honours keys of entries. `inPosts`: only those in the header. A POST may read too, and the handler refuses writes. `marks`: whether
 * texts may be marked.
 */
const opening = ({ inPosts = false, marks = true } = {}): Step => ({
  name: 'entry key',
  stage: 'caller',
  extends: (find) => (ctx, running) => {
    const { entryKeys } = running;
    if (entryKeys === null) return find(ctx, running);
    const hasParameter = inPosts && ctx.querystring.includes(assignment);
    const key = takeEntryKey(ctx);
    if (key === null) return find(ctx, running);
    if (hasParameter) throw validationError(`Invalid parameter ${parameter}: expected the header ${header}`);
    if (!inPosts && !isRead(ctx)) throw wrongMethod();
    const address = marks && takesMarks(ctx) ? `${ctx.protocol}://${ctx.host}` : null;
    const open = () => entryKeys.open(key, { running, requestId: requestIdOf(ctx) });
    return find(ctx, running).then((caller) => withOpened(caller, open, address));
  },
  around: (rest) => (call, ctx) => {
    if (call.caller.access.entry === undefined) return rest(call, ctx);
    return Promise.resolve(rest(call, ctx)).then((answer) => answer && kept(answer));
  },
  describe: () => ({
    parameters: [{ $ref: '#/components/parameters/PreviewToken' }, { $ref: '#/components/parameters/PreviewHeader' }],
  }),
  defines: {
    parameters: {
      PreviewToken: { name: parameter, in: 'query', description, schema: text },
      PreviewHeader: { name: header, in: 'header', description: 'The same as the parameter previewToken', schema: text },
    },
  },
});

/** Refuses keys in the header. Those in the parameter are refused with other parameters. */
const refusing = (isRefused: (ctx: Context) => boolean): Step => ({
  name: 'entry key',
  stage: 'check',
  around: (rest) => (call, ctx) => {
    const isSent = ctx.req.headers[headerKey] !== undefined && call.running.entryKeys !== null;
    if (!isSent || !isRefused(ctx)) return rest(call, ctx);
    throw isRead(ctx) ? badRequestError(`This request does not support the header ${header}`) : wrongMethod();
  },
});

const kept = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, ...secret } });

export const entryKey = {
  honoured: opening(),
  /** The handler refuses writes. */
  honouredInPosts: opening({ inPosts: true }),
  /** Texts are not marked. */
  honouredUnmarked: opening({ marks: false }),
  refused: refusing(() => true),
  /** Of handlers that read what they like: refuses keys of requests that may write. */
  refusedInWrites: refusing((ctx) => !isRead(ctx)),
} as const satisfies Readonly<Record<string, Step>>;
