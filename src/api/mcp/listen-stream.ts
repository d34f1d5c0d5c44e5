import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { ApiError } from '#base/errors.js';
import { Ending } from '#base/limits/ending.js';
import { every } from '#base/limits/timers.js';
import { LiveBody } from '#http/live-body.js';
import { notRunning } from '#http/running.js';
import type { ContentType } from '#model/schema/content-type.js';
import { syncService } from '../sync/service.js';
import type { AgentCall } from './agent-call.js';
import type { LastingCall } from './identify-agent.js';
import { EntryWatch } from './watch-entries.js';
import { TypeWatch } from './watch-types.js';

/** Brings changes to the one stream of a handler. */
export class StreamBus implements ServerEventBus {
  #listener: ((event: ServerEvent) => void) | null = null;

  /** Whether there is a stream. */
  get isOpen(): boolean {
    return this.#listener !== null;
  }

  publish(event: ServerEvent): void {
    this.#listener?.(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = null;
    };
  }
}

/** The resources that a stream tells of. */
export interface Resources {
  /** Addresses of types and of their list. */
  readonly types: readonly string[];
  /** Addresses of entries, by type and id. */
  readonly entries: ReadonlyMap<ContentType, ReadonlyMap<number, readonly string[]>>;
}

/** The stream as the protocol writes it. */
interface ProtocolStream {
  readonly bus: StreamBus;
  /** Lets the protocol say that the stream is over. */
  readonly end: () => void;
}

/** Milliseconds between two beats of a stream, and between two looks at what its caller sees of types. */
const interval = 10_000;

/**
 * The body of a stream of changes. It ends with the service, and if its caller may no longer follow what it has asked for. It counts as one
 * request that waits for changes, and each type of entries in it as another one.
 */
export class ListenStream extends LiveBody {
  readonly #call: LastingCall;
  readonly #resources: Resources;
  readonly #protocol: ProtocolStream;
  readonly #ends = new Ending();
  #types: TypeWatch | null = null;
  #stopBeats = (): void => undefined;
  #isCounted = false;
  #isBeating = false;

  constructor({ request, running, content }: AgentCall, resources: Resources, protocol: ProtocolStream) {
    super();
    const { client, requestId, caller } = content.store.database.sender ?? request.sender;
    this.#call = { request, running, sender: { client, requestId, signal: this.#ends, ...(caller !== undefined && { caller }) } };
    this.#resources = resources;
    this.#protocol = protocol;
  }

  /** Begins to follow. Throws a 4xx or a 503 if too many requests wait for changes. */
  async start(call: AgentCall): Promise<void> {
    const { types, entries } = this.#resources;
    try {
      syncService(call.running).connections.enter(this.#call.sender);
      this.#isCounted = true;
      const ends = call.last?.() ?? notRunning();
      ends.addEventListener('abort', () => {
        this.#finish();
      });
      if (types.length > 0) this.#types = new TypeWatch({ call: this.#call, projectCode: call.projectCode, uris: types }, call);
      for (const [type, uris] of entries) await this.#watch(type, uris).start(call);
      this.#stopBeats = every(interval, () => void this.#beat());
      if (ends.aborted) this.#finish();
    } catch (error) {
      this.#finish();
      throw error;
    }
  }

  /** Sends what the protocol says, until it says no more. */
  async send(frames: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of frames) {
        this.write(decoder.decode(bytes, { stream: true }));
        await this.ready();
      }
    } catch (error) {
      this.#fail(error);
    }
    this.end();
  }

  #watch(type: ContentType, uris: ReadonlyMap<number, readonly string[]>): EntryWatch {
    const tell = (ids: Iterable<number>): Promise<void> => this.#tell([...ids].flatMap((id) => uris.get(id) ?? []));
    const fail = (): void => {
      this.#finish();
    };
    return new EntryWatch({ call: this.#call, type, ids: [...uris.keys()], ends: this.#ends, notify: tell, fail });
  }

  /** Tells the client that resources have changed. Resolves when it can take more. */
  #tell(uris: readonly string[]): Promise<void> {
    for (const uri of uris) this.#protocol.bus.publish({ kind: 'resource_updated', uri });
    return this.ready();
  }

  /** Does nothing but keep the connection while the last beat is not over. */
  async #beat(): Promise<void> {
    if (this.isRead) this.write(': keep-alive\n\n');
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#tell((await this.#types?.changed()) ?? []);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isBeating = false;
    }
  }

  #fail(error: unknown): void {
    const { observer } = this.#call.running;
    if (!(error instanceof ApiError)) observer.observe({ kind: 'failed', work: 'agents', err: error });
    this.#finish();
  }

  #finish(): void {
    if (this.#ends.aborted) return;
    this.#ends.abort();
    this.#stopBeats();
    this.#protocol.end();
    if (this.#isCounted) syncService(this.#call.running).connections.leave(this.#call.sender);
  }
}
