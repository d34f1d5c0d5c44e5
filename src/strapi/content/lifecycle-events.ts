import type { WriteAction } from '#content/content-context.js';
import type { ReadKind } from './surrounded-reads.js';
import type { StrapiModel } from './describe-model.js';

export type WriteKind = Capitalize<WriteAction>;

/** The name of a lifecycle hook, such as `beforeCreate`. */
export type LifecycleAction = `${'before' | 'after'}${ReadKind | WriteKind}`;

/* eslint-disable @typescript-eslint/no-explicit-any -- what entries hold is for their models to say */

/** The argument of lifecycle hooks. The before and after hooks of an operation share `state`. */
export interface LifecycleEvent {
  readonly action: LifecycleAction;
  readonly model: StrapiModel;
  /** `data` may be changed before a write; `where` selects the entries. */
  readonly params: Record<string, any>;
  state: Record<string, any>;
  /** The result after the operation: the entry, the entries, or their count. */
  result?: any;
}
/* eslint-enable @typescript-eslint/no-explicit-any */

export type Listener = (event: LifecycleEvent) => unknown;

/** Lifecycle hooks, for some models or for all. */
export type SubscriberMap = { readonly models?: readonly string[] } & Readonly<Partial<Record<LifecycleAction, Listener>>>;

/** Code around reads and writes. A function is called for all hooks. */
export type Subscriber = Listener | SubscriberMap;
