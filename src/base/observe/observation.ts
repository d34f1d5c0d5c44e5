import type {
  CommandEnded,
  CostlyRead,
  PageRead,
  RequestBegun,
  RequestEnded,
  RequestFailed,
  SlowRequest,
} from './request-observations.js';
import type { OutgoingCall, TraceLink } from './trace-link.js';

/**
 * What the service does and sees, as plain values. The log writes a line for most of them (`log-observations.ts`); other consumers
 * may count them. Add a kind for anything that an operator should be able to count.
 */
export type Observation =
  | RequestBegun
  /** A queue of work is there, whose size can be asked for at any time. */
  | { readonly kind: 'queue opened'; readonly name: string; readonly size: () => QueueSize }
  | RequestEnded
  | RequestFailed
  | CommandEnded
  | JobBegun
  | JobEnded
  | CallBegun
  | CallEnded
  | Failed
  | Warned
  /** The answer of a request could not be sent, usually because its client has disconnected. */
  | { readonly kind: 'answer not sent'; readonly err: unknown }
  /** A request has exceeded a limit of the configuration, such as `api.limits.entriesRead`. */
  | { readonly kind: 'budget refused'; readonly limit: string }
  /** The way in which a page of a list was read. */
  | PageRead
  | CostlyRead
  /** A request took longer than `server.slowRequest`. */
  | SlowRequest
  /** A caller lacks rights. `text` names them and the command that grants them. In development only. */
  | { readonly kind: 'rights lacking'; readonly status: number; readonly missing: readonly string[]; readonly text: string }
  /** The service could not be opened, and tries again. */
  | { readonly kind: 'start postponed'; readonly reason: string }
  /** No server of the database accepts writes. */
  | { readonly kind: 'database lost'; readonly err: unknown }
  | { readonly kind: 'database found' }
  /** The change stream has ended, so that changes are missed until it is open again. */
  | { readonly kind: 'changes lost'; readonly err: unknown }
  | { readonly kind: 'changes found' }
  /** The search engine does not answer, or answers again. */
  | { readonly kind: 'engine lost'; readonly err: unknown }
  | { readonly kind: 'engine found' }
  | EngineSearched
  /** The change stream has reported a write of `ms` milliseconds ago. */
  | { readonly kind: 'changes heard'; readonly ms: number }
  /** A model is not in force as it is stored, or has warnings. */
  | { readonly kind: 'model refused'; readonly uid: string; readonly text: string }
  /** Stored entries do not fit their model: required values are null, or values have another type. */
  | EntriesUnfit
  | { readonly kind: 'indexes built'; readonly uid: string; readonly names: readonly string[]; readonly ms: number }
  | { readonly kind: 'index refused'; readonly uid: string; readonly text: string }
  /** The remains of interrupted uploads that were deleted, and those that could not be. */
  | { readonly kind: 'uploads swept'; readonly deleted: number; readonly left: number }
  /** A delivery to a webhook was attempted. It will be again if its result is `pending`. */
  | WebhookAttempted
  /** GraphQL cannot be served before there are content types. */
  | { readonly kind: 'schema postponed'; readonly reason: string }
  | Mailed
  /** Code of the project asks for what is not offered, or its configuration has no effect. */
  | { readonly kind: 'code warned'; readonly text: string; readonly err?: unknown }
  /** Code of the project has thrown an error. */
  | { readonly kind: 'code failed'; readonly text: string; readonly err: unknown };

interface QueueSize {
  readonly running: number;
  readonly waiting: number;
}

/**
 * A search engine was asked, or not asked because it has just failed, has too many searches, or has no complete index. Unless it has
 * found, MongoDB searches.
 */
interface EngineSearched {
  readonly kind: 'engine searched';
  readonly engine: string;
  readonly result: 'found' | 'failed' | 'paused' | 'busy' | 'no index';
  readonly ms: number;
}

/** A run of a job begins. Not told of runs that last as long as the service. */
interface JobBegun {
  readonly kind: 'job begun';
  readonly job: string;
  readonly link: TraceLink;
}

/** A run of a job has ended. `err` is null after success. */
interface JobEnded {
  readonly kind: 'job ended';
  readonly job: string;
  readonly link: TraceLink;
  readonly ms: number;
  readonly err: unknown;
  /** What the log says if it has failed; null for nothing. */
  readonly failure: string | null;
}

interface CallBegun {
  readonly kind: 'call begun';
  readonly call: OutgoingCall;
}

interface CallEnded {
  readonly kind: 'call ended';
  readonly call: OutgoingCall;
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
}

interface WebhookAttempted {
  readonly kind: 'webhook attempted';
  readonly webhook: number;
  readonly result: 'delivered' | 'pending' | 'failed';
  readonly ms: number;
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
}

interface EntriesUnfit {
  readonly kind: 'entries unfit';
  readonly uid: string;
  readonly attribute: string;
  readonly entries: number;
  readonly problem: 'null' | 'type';
}

/** Work of the service that has failed. It is tried again, or left out. */
interface Failed {
  readonly kind: 'failed';
  readonly work: Work;
  readonly err: unknown;
  /** Further fields of the line in the log. */
  readonly about?: object;
}

export type Work =
  | 'bootstrap'
  | 'destroy'
  | 'index check'
  | 'index build'
  | 'index state'
  | 'schema state'
  | 'model state'
  | 'model load'
  | 'required count'
  | 'search build'
  | 'entry event'
  | 'schedule'
  | 'release'
  | 'webhook delivery'
  | 'unused indexes'
  | 'graphql request'
  | 'graphql schema'
  | 'graphql files'
  | 'cors origin'
  | 'hosted file'
  | 'upload provider'
  | 'sync'
  | 'agents'
  | 'preview handler'
  | 'previews';

/** Something that an operator should know. */
interface Warned {
  readonly kind: 'warned';
  readonly topic: 'configuration' | 'database' | 'accounts' | 'access' | 'graphql' | 'login provider' | 'request' | 'webhooks';
  readonly text: string;
  /** Further fields of the line in the log. */
  readonly about?: object;
}

/**
 * An e-mail was not sent (`failed`), will be tried again (`delayed`), was not sent because of a limit (`withheld`), or was written
 * to a file (`written`).
 */
interface Mailed {
  readonly kind: 'mail failed' | 'mail delayed' | 'mail withheld' | 'mail written';
  readonly text: string;
  /** Further fields of the line in the log. They contain no code and no address. */
  readonly about?: object;
}

export type ObservationKind = Observation['kind'];

/** The observations of a kind. */
export type ObservationOf<Kind extends ObservationKind> = Extract<Observation, { readonly kind: Kind }>;
