import type { Timestamp } from 'mongodb';
import type { Document } from '../send/database.js';
import type { Change } from './change-log.js';

/** An event of a change stream, as `streamStages` project it. */
interface Event {
  readonly _id: { readonly _data: string };
  readonly operationType: string;
  readonly clusterTime: Timestamp;
  readonly ns?: { readonly coll?: string };
  readonly to?: { readonly coll?: string };
  readonly documentKey?: { readonly _id?: unknown };
  readonly changed?: readonly string[];
}

const kinds: ReadonlySet<string> = new Set(['insert', 'update', 'replace', 'delete']);

/** Returns the stages of a change stream that report the changes of collections, without values. */
export function streamStages(followed: ReadonlySet<string>): Document[] {
  const names = [...followed];
  const $match = { $or: [{ 'ns.coll': { $in: names } }, { 'to.coll': { $in: names } }, { operationType: 'dropDatabase' }] };
  const keys = { $map: { input: { $objectToArray: '$updateDescription.updatedFields' }, in: '$$this.k' } };
  const cut = { $map: { input: { $ifNull: ['$updateDescription.truncatedArrays', []] }, in: '$$this.field' } };
  const changed = {
    $cond: [
      { $eq: ['$operationType', 'update'] },
      { $concatArrays: [{ $ifNull: [keys, []] }, { $ifNull: ['$updateDescription.removedFields', []] }, cut] },
      '$$REMOVE',
    ],
  };
  const place = { operationType: 1, clusterTime: 1, 'ns.coll': 1, 'to.coll': 1, 'documentKey._id': 1 };
  return [{ $match }, { $project: { ...place, changed } }];
}

/**
 * Returns the changes of the followed collections in a batch of events. A collection is reset if it was dropped, or another one was
 * renamed to take its place.
 */
export const changesIn = (events: readonly Document[], followed: ReadonlySet<string>): Change[] =>
  (events as readonly Event[]).flatMap((event) => (kinds.has(event.operationType) ? written(event) : replaced(event, followed)));

function written({ _id, operationType, clusterTime, ns, documentKey, changed }: Event): Change[] {
  const place = { collection: ns?.coll ?? null, token: _id._data, time: clusterTime };
  const fields = changed === undefined ? {} : { fields: [...new Set(changed.map((path) => path.split('.')[0] ?? path))] };
  return [{ ...place, kind: operationType as Change['kind'], id: documentKey?._id, ...fields }]; // one of `kinds`
}

function replaced({ _id, operationType, clusterTime, ns, to }: Event, followed: ReadonlySet<string>): Change[] {
  const reset = { kind: 'reset', token: _id._data, time: clusterTime } as const;
  if (operationType === 'dropDatabase') return [{ collection: null, ...reset }];
  if (operationType !== 'drop' && operationType !== 'rename') return [];
  const [name, other] = [ns?.coll ?? '', to?.coll ?? ''].filter((one) => followed.has(one));
  return name === undefined ? [] : [{ collection: other === undefined ? name : null, ...reset }];
}
