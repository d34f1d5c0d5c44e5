import { ApiError, rateLimitError, unauthorizedError, unavailableError } from '#base/errors.js';
import { withoutHooks } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { findOne } from '#content/find-one.js';
import type { EndSignal } from '#base/limits/ending.js';
import { LiveBody } from '#http/live-body.js';
import type { Answer, RouteCall } from '#http/route.js';
import { refuseOthers } from '#http/query-string.js';
import type { RunningService } from '#http/running.js';
import { collections } from '#model/schema/collections.js';
import type { Change, ChangeBus } from '#store/changes/changes.js';
import { versionOf } from '#store/form/loaded.js';
import { idQuery } from '../content-manager/entry-rights.js';
import { openToken } from './open-token.js';

/** A page that hears of the changes of the entry that it shows. */
interface Listener {
  readonly token: string;
  readonly requestId: string;
  readonly running: RunningService;
  readonly stream: LiveBody;
  readonly collection: string;
  readonly id: number;
  /** The version that the page has heard of. */
  version: string;
  /** Whether the entry, or a right to it, may have changed. */
  isStale: boolean;
  nextBeat: number;
}

/** Maximum numbers of pages that listen, in all and with one token. */
const [most, mostOfToken] = [1_000, 20];

/** Milliseconds between two comments, so that proxies keep the connection, at which the rights are checked too. */
const beatInterval = 15_000;

/** How many pages are checked at once. */
const atOnce = 8;

/** The pages that listen to one instance. */
class PreviewHub {
  readonly #changes: ChangeBus;
  readonly #listeners = new Set<Listener>();
  /** The collections whose changes are heard. */
  readonly #uids = new Set<string>();

  constructor(changes: ChangeBus) {
    this.#changes = changes;
    const { administrators, adminRoles, adminPermissions, models } = collections;
    changes.onChange([administrators, adminRoles, adminPermissions, models], () => {
      for (const one of this.#listeners) one.isStale = true;
    });
  }

  /** Adds a page. Throws a 429 or a 503 if too many listen. */
  add(listener: Listener, ends: EndSignal | undefined): void {
    const ofToken = [...this.#listeners].filter(({ token }) => token === listener.token).length;
    if (ofToken >= mostOfToken) throw rateLimitError('Too many pages listen with this token', { 'Retry-After': '5' });
    if (this.#listeners.size >= most) throw unavailableError('Too many pages listen, please try again later');
    const { collection } = listener;
    if (!this.#uids.has(collection)) this.#changes.onChange([collection], (change) => this.#note(collection, change));
    this.#uids.add(collection);
    this.#listeners.add(listener);
    ends?.addEventListener('abort', () => this.#end(listener));
    if (ends?.aborted === true) this.#end(listener);
  }

  /** Tells pages of changes, and ends those whose tokens have ended. Runs often, and does nothing if nothing has changed. */
  async run(): Promise<void> {
    const now = performance.now();
    const due = [...this.#listeners].filter(({ isStale, nextBeat }) => isStale || nextBeat <= now);
    for (let start = 0; start < due.length; start += atOnce)
      await Promise.all(due.slice(start, start + atOnce).map((one) => this.#check(one, now)));
  }

  #note(collection: string, change: Change): void {
    const ids = change.kind === 'entry' ? [change.document['_id']] : (change.ids ?? null);
    for (const one of this.#listeners)
      if (one.collection === collection && (ids === null || ids.includes(one.id))) one.isStale = true;
  }

  async #check(one: Listener, now: number): Promise<void> {
    if (!one.stream.isRead) return; // it takes what it has been sent first
    one.isStale = false;
    try {
      const version = await versionFor(one.token, one);
      if (version !== one.version) one.stream.write(eventOf('save', version));
      else if (one.nextBeat <= now) one.stream.write(': keep-alive\n\n');
      one.version = version;
    } catch (err) {
      if (err instanceof ApiError && err.status === 401) return this.#end(one, endEvent);
      one.isStale = true;
      one.running.observer.observe({ kind: 'failed', work: 'previews', err });
    }
    if (one.nextBeat <= now) one.nextBeat = now + beatInterval;
  }

  #end(one: Listener, last = ''): void {
    if (!this.#listeners.delete(one)) return;
    one.stream.write(last);
    one.stream.end();
  }
}

const hubs = new WeakMap<RunningService['backend'], PreviewHub>();

/** Milliseconds between two looks at what has changed. */
const pace = 250;

/** Returns the pages that listen. The job that tells them of changes begins with the first one. */
function previewHub({ backend }: RunningService): PreviewHub {
  const cachedHub = hubs.get(backend);
  if (cachedHub !== undefined) return cachedHub;
  const hub = new PreviewHub(backend.store.changes);
  hubs.set(backend, hub);
  backend.jobs.start({ name: 'previews', every: pace, failure: 'pages of drafts were told of nothing', run: () => hub.run() });
  return hub;
}

/** The page must not try again, because its token has ended. */
const endEvent = 'event: end\ndata: {}\n\n';

const eventOf = (name: 'ready' | 'save', version: string): string => `id: ${version}\nevent: ${name}\ndata: {}\n\n`;

const missing = () => unauthorizedError('The preview token is missing');

/**
 * Answers with a stream of events: `save` after each save of the entry that the token shows, and `end` when the token has ended. A page
 * that was connected before hears at once of a save that it has missed. Throws an UnauthorizedError without a valid token, and a
 * ValidationError for other parameters.
 */
export async function answerEvents(token: string | null, parameters: string, call: RouteCall): Promise<Answer> {
  if (token === null) throw missing();
  const { running, request, ends } = call;
  const { requestId } = request;
  refuseOthers(parameters, ['previewToken']);
  const { uid, id } = await openToken(token, { running, requestId });
  const type = call.content.bind.registry.types.get(uid);
  if (type === undefined) throw missing();
  const stream = new LiveBody();
  const version = await versionFor(token, { running, requestId });
  const last = request.headers['last-event-id'];
  stream.write(eventOf(last === undefined || last === '' || last === version ? 'ready' : 'save', version));
  const nextBeat = performance.now() + beatInterval;
  const place = { collection: type.collection, id, version };
  previewHub(running).add({ token, requestId, running, stream, ...place, isStale: true, nextBeat }, ends);
  return { body: stream, headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } };
}

/** Returns the version of the entry that a token shows. Throws an UnauthorizedError if it shows nothing any more. */
async function versionFor(token: string, { running, requestId }: Pick<Listener, 'running' | 'requestId'>): Promise<string> {
  const { uid, id, access } = await openToken(token, { running, requestId });
  const context = withoutHooks(createContext(running.config, running.source, access));
  const type = context.bind.registry.types.get(uid);
  const entry = type === undefined ? null : await findOne(type, id, idQuery, context);
  if (entry === null) throw missing();
  return versionOf(entry) ?? '';
}
