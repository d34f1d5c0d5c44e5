import {
  type FieldNode,
  type FormattedExecutionResult,
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  type GraphQLField,
  Kind,
  visit,
} from 'graphql';
import { memoize, SharedValues } from '#base/caches.js';
import { Ending } from '#base/limits/ending.js';
import type { Values } from '#base/values.js';
import type { ContentType } from '#model/schema/content-type.js';
import { Follower } from '../../sync/follow.js';
import type { SyncQuery } from '../../sync/query.js';
import { syncService } from '../../sync/service.js';
import { type Identify, SyncSession } from '../../sync/session.js';
import { isReset } from '../../sync/token.js';
import type { GraphqlContext } from '../graphql-context.js';
import { collectFields, isCustomField, type Operation } from '../selection/collect-fields.js';
import { parseListArguments } from '../selection/parse-list-arguments.js';
import { localeOf } from '../selection/read-root.js';
import { findName } from '../type-names.js';
import { identifyClient, type LiveClient } from './client.js';
import { entryForm, noteContext } from './entry-form.js';
import { fragmentsOf, type LiveEndpoint, type LiveOperation, type Refusal, sharedKey } from './operation.js';
import { Outbox } from './outbox.js';
import { Subscription } from './subscription.js';

/**
 * Begins a subscription. Returns its results, or the errors of its variables. Throws an ApiError if the caller may not follow the
 * entries, or the arguments are invalid.
 */
export async function openSubscription(
  operation: LiveOperation,
  client: LiveClient,
  endpoint: LiveEndpoint,
): Promise<Outbox<FormattedExecutionResult> | Refusal> {
  const root = readRoot(operation);
  if ('errors' in root) return endpoint.format(root.errors);
  const ends = endWith(client);
  const outbox = new Outbox<FormattedExecutionResult>(() => {
    ends.abort();
  });
  const { ctx, call } = client;
  const context = endpoint.contextOf(ctx, call, operation);
  const subscription = new Subscription({ endpoint, operation, client, context, outbox, ends });
  try {
    await follow(root, { operation, client, endpoint, subscription, ends });
  } catch (error) {
    if (!isReset(error)) {
      ends.abort();
      throw error;
    }
    await subscription.reset();
  }
  return outbox;
}

/** Returns what ends with the connection, or before. */
function endWith({ ends: connection }: LiveClient): Ending {
  const ends = new Ending();
  const abort = (): void => {
    ends.abort();
  };
  if (connection.aborted) abort();
  connection.addEventListener('abort', abort);
  ends.addEventListener('abort', () => {
    connection.removeEventListener('abort', abort);
  });
  return ends;
}

interface FollowInput {
  readonly operation: LiveOperation;
  readonly client: LiveClient;
  readonly endpoint: LiveEndpoint;
  readonly subscription: Subscription;
  readonly ends: Ending;
}

/** Follows entries as copies are followed. Throws a SyncResetError if the token cannot be continued. */
async function follow(root: Root, { operation, client, endpoint, subscription, ends }: FollowInput): Promise<void> {
  const { ctx, call } = client;
  const { type, args } = root;
  const identify: Identify = async ({ action }) => {
    const authorized = await identifyClient(client, { action });
    return {
      caller: authorized.caller,
      content: noteContext(endpoint.contextOf(ctx, { ...call, ...authorized }, operation), authorized),
    };
  };
  const context = endpoint.contextOf(ctx, call, operation);
  const content = noteContext(context, call);
  const token = typeof args['token'] === 'string' && args['token'] !== '' ? args['token'] : null;
  const request = call.request.with({ plural: type.pluralName }, {});
  const query = queryOf(root, operation, context);
  const session = new SyncSession({ ...call, content, request, ends }, query, token !== null, identify);
  const service = syncService(call.running);
  const start = await service.start(session, token, ends);
  subscription.begin(service, start);
  Follower.start({ service, session, start, ends, stream: subscription, isCounted: true });
}

/** The field of a subscription. */
interface Root {
  readonly type: ContentType;
  readonly args: Values;
  readonly nodes: readonly FieldNode[];
  readonly operation: Operation;
}

function readRoot({
  schema,
  document,
  operation,
  variables,
}: LiveOperation): Root | { readonly errors: readonly GraphQLError[] } {
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 50 });
  if (coerced === undefined) return { errors };
  const parts = { schema, fragments: fragmentsOf(document), variableValues: coerced };
  const top: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' }, selectionSet: operation.selectionSet };
  const [nodes = []] = collectFields([top], 'Subscription', parts).values();
  const [node] = nodes;
  const field = schema.getSubscriptionType()?.getFields()[node?.name.value ?? ''];
  const type = field === undefined ? undefined : changesOf(field);
  if (node === undefined || field === undefined || type === undefined)
    return { errors: [new GraphQLError('The operation selects no changes of a content type', { nodes: operation })] };
  if (isCustomField('Query', findName(type), parts))
    return { errors: [new GraphQLError(`An extension decides about ${findName(type)}, so that its changes cannot be followed`)] };
  try {
    return { type, args: getArgumentValues(field, node, coerced), nodes, operation: parts };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

/** Returns the type whose changes a field has. */
const changesOf = ({ extensions }: GraphQLField<unknown, unknown>): ContentType | undefined =>
  extensions['changes'] as ContentType | undefined; // set with the field

/** Equal queries are one object, so that callers with equal credentials are identified once. */
const queries = memoize<LiveOperation['schema'], SharedValues<SyncQuery>>(() => new SharedValues());

function queryOf({ type, args, nodes, operation }: Root, live: LiveOperation, context: GraphqlContext): SyncQuery {
  const { filter, publicationState } = parseListArguments(args, type, context.content.bind);
  const key = sharedKey(live, context, tokenVariable(nodes, live));
  const form = entryForm({ key, operation, nodes });
  return queries(live.schema).share(key, { filter, fields: null, locale: localeOf(args), publicationState, form });
}

/** Returns the variable that has nothing but the token, which clients of equal subscriptions have different ones of; undefined if there is none. */
function tokenVariable([node]: readonly FieldNode[], { document }: LiveOperation): string | undefined {
  const value = node?.arguments?.find(({ name }) => name.value === 'token')?.value;
  if (value?.kind !== Kind.VARIABLE) return undefined;
  const name = value.name.value;
  let uses = 0;
  visit(document, {
    Variable: (variable) => {
      if (variable.name.value === name) uses += 1;
    },
  });
  return uses === 2 ? name : undefined; // its definition, and the argument
}
