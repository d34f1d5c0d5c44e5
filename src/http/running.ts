import type { ServerResponse } from 'node:http';
import type { Accounts } from '#content/rights/accounts.js';
import type { Authenticator } from '#content/rights/authenticate.js';
import { knownActions } from '#content/rights/known-actions.js';
import type { Config } from '#settings/config.js';
import type { Secrets } from '#settings/load-secrets.js';
import type { ContentSource } from '#content/create-context.js';
import { notFoundError, unavailableError } from '#base/errors.js';
import { endOf, type Ending } from '#base/limits/ending.js';
import type { AttemptLimits, GuessLimit } from '#base/limits/attempts.js';
import { type Media, withCommandsOf } from '#media/media.js';
import type { Backend } from '#store/models/open-backend.js';
import type { Observer } from '#base/observe/observer.js';
import type { LentEntry } from '#model/query/access.js';
import type { Filter } from '#model/query/ast.js';
import type { EntryGrant } from '#model/query/entry-access.js';
import type { Registry } from '#model/schema/content-type.js';
import type { Model } from '#model/schema/model.js';
import type { ExplainRefusal } from './explain-refusal.js';
import type { AnswerCache } from './answer-cache.js';
import type { RequestLimiter } from './limit-requests.js';
import type { Values } from '#base/values.js';

/** The files of the models of a project. */
export interface ModelFiles {
  readonly write: (models: readonly Model[]) => Promise<void>;
  /** Deletes the files of models by uid, if there are any. */
  readonly remove: (uids: readonly string[]) => Promise<void>;
}

/** An action of administrators that code of a project has registered, in the form of Strapi v4. */
export interface AdminAction {
  /** The full name, such as `plugin::menus.read`. */
  readonly actionId: string;
  /** The part of the pages of roles that lists it; `internal` for actions of super admins alone. */
  readonly section: 'contentTypes' | 'plugins' | 'settings' | 'internal';
  readonly displayName: string;
  readonly pluginName?: string;
  readonly category?: string;
  readonly subCategory?: string;
  /** The uids of the types that it applies to, in the section `contentTypes`. */
  readonly subjects?: readonly string[];
  readonly options: { readonly applyToProperties: readonly string[] | null };
}

/** A tool for agents that code of a project has registered. */
export interface AgentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly inputSchema: Values;
  /** The scopes that clients of OAuth need for it. Without any, they are not offered it. */
  readonly scopes?: readonly string[];
  /** `context` has the state of the request, with the caller as code of Strapi v4 reads it. */
  readonly handler: (input: Values, context: { readonly state: object }) => unknown;
}

/** What a condition says for an administrator: whether all entries meet it, or those that do. */
export type ConditionResult = boolean | { readonly filters: Values; readonly filter: Filter };

/** A condition of permissions of administrators that code of a project has registered. */
export interface AdminCondition {
  /** The full name, such as `plugin::menus.is-own-menu`. */
  readonly id: string;
  readonly displayName: string;
  readonly category: string;
  readonly test: (user: object) => Promise<ConditionResult>;
}

/** An entry that a key opens, with the rights of whoever has given the key. */
export interface OpenedEntry extends EntryGrant {
  /** Returns how texts are marked with the places where they are edited. `address` is that of the service in the request. */
  readonly marking: (address: string) => NonNullable<LentEntry['mark']>;
}

/** Keys by which somebody lets others read one entry by their own rights. A feature has them. */
export interface EntryKeys {
  /** Returns what a key opens. Throws an UnauthorizedError if it opens nothing, or nothing any more. */
  readonly open: (key: string, request: { readonly running: RunningService; readonly requestId: string }) => Promise<OpenedEntry>;
}

/** The parts of the service that requests need. They exist after the database has answered. */
export interface RunningService {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly backend: Backend;
  /** Whether the database is the embedded server. */
  readonly isEmbedded: boolean;
  readonly authenticator: Authenticator;
  /** Null if users and permissions are disabled. */
  readonly accounts: Accounts | null;
  /** Null if uploads are disabled. */
  readonly media: Media | null;
  /** Limits of logins, registrations and e-mails; null if attempts are not limited. */
  readonly attempts: AttemptLimits | null;
  /** Limit of wrong admin tokens. */
  readonly adminGuesses: GuessLimit;
  /** The general limit of requests; null if it is disabled. */
  readonly limiter: RequestLimiter | null;
  readonly observer: Observer;
  /** Logs the missing rights of refused callers in development. */
  readonly explainRefusal: ExplainRefusal;
  /** Returns the actions of features that can be granted to roles. */
  readonly actions: (registry: Registry) => readonly string[];
  /** Returns the collections whose changes features read in the change log, besides those that are synced. */
  readonly logged: (registry: Registry) => ReadonlySet<string>;
  /** The recent answers to reads. */
  readonly answers: AnswerCache;
  /** Keys by which callers read one entry by the rights of somebody else; null if no feature has any. */
  readonly entryKeys: EntryKeys | null;
  /** Writes the files of the models of a project; absent without a project. */
  readonly modelFiles?: ModelFiles;
  /** Returns the actions in the code of a project that can be granted to roles. */
  readonly projectActions?: () => readonly string[];
  /** Returns the actions of administrators that the code of a project has registered. The list changes with them. */
  readonly adminActions?: () => readonly AdminAction[];
  /** Returns the conditions of permissions of administrators that the code of a project has registered. */
  readonly adminConditions?: () => readonly AdminCondition[];
  /** Returns the tools for agents that the code of a project has registered. */
  readonly agentTools?: () => readonly AgentTool[];
  /** Returns the events that the code of a project emits, which webhooks may name. */
  readonly ownEvents?: () => readonly string[];
  /** The source of the context of each request. */
  readonly source: ContentSource;
  /** Stops background work, and disconnects. */
  close(): Promise<void>;
}

/** The connection to the database; `running` is null until the database has answered. */
export class Connection {
  running: RunningService | null = null;
  /** Whether all preparations have finished: the demo is stored, and `bootstrap` has run. */
  isPrepared = false;
  /** Whether requests are refused until `isPrepared`, because code of `bootstrap` may decide their answers. */
  awaitsBootstrap = false;
  readonly #stop = new AbortController();
  readonly #lasting = new Set<Ending>();

  /** Aborts when the service is about to stop. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether the service is about to stop, so that load balancers should stop sending requests. */
  get isStopping(): boolean {
    return this.stopping.aborted;
  }

  /**
   * Returns the signal that ends an answer that lasts, when its client has disconnected or the service stops. Throws a 503 if the
   * service is about to stop.
   */
  endOf(response: ServerResponse): Ending {
    if (this.isStopping) notRunning('The service is about to stop, please try again');
    const ends = endOf(response);
    if (ends.aborted) return ends;
    this.#lasting.add(ends);
    ends.addEventListener('abort', () => this.#lasting.delete(ends));
    return ends;
  }

  /** Announces the stop of the service, and ends the answers that last. */
  announceStop(): void {
    this.#stop.abort();
    for (const ends of this.#lasting) ends.abort();
  }
}

/** Throws a 503 with the message, if there is one. Called instead of using `running` before the database has answered. */
export function notRunning(message?: string): never {
  throw unavailableError(message);
}

/** Throws a NotFoundError if users and permissions are disabled. */
export function accountsOf({ accounts }: Pick<RunningService, 'accounts'>): Accounts {
  if (accounts === null) throw notFoundError('Users and permissions are disabled');
  return accounts;
}

/** Returns the media library, for a request if one is given. Throws a NotFoundError if uploads are disabled. */
export function mediaOf({ media }: Pick<RunningService, 'media'>, request?: { readonly requestId: string }): Media {
  if (media === null) throw notFoundError('Uploads are disabled');
  return request === undefined ? media : withCommandsOf(media, request.requestId);
}

/** Returns all actions that can be granted to a role or token, those of the project first: of equally near names they are suggested. */
export const grantableActions = (
  { actions, projectActions }: Pick<RunningService, 'actions' | 'projectActions'>,
  registry: Registry,
): string[] => [...new Set([...(projectActions?.() ?? []), ...knownActions(registry, actions(registry))])];
