import { BSON, type Timestamp } from 'mongodb';
import type { Document } from '../send/database.js';
import type { Values } from '#base/values.js';
import { type Change, type FieldsOf, syncLog } from './change-log.js';

/** An event of a change stream, as `streamStages` project it. */
interface Event {
  readonly _id: { readonly _data: string };
  readonly operationType: string;
  readonly clusterTime: Timestamp;
  readonly ns?: { readonly coll?: string };
  readonly to?: { readonly coll?: string };
  readonly documentKey?: { readonly _id?: unknown };
  readonly changed?: readonly string[];
  /** The recorded fields of the document before the change; absent if the server does not know it. */
  readonly fullDocumentBeforeChange?: Values | null;
}

const kinds: ReadonlySet<string> = new Set(['insert', 'update', 'replace', 'delete']);

/** Returns the options of a change stream: it reports documents before their changes if fields of some are recorded. */
export const streamOptions = (followed: FieldsOf): Document =>
  recordedFields(followed).length === 0 ? {} : { fullDocumentBeforeChange: 'whenAvailable' };

const recordedFields = (followed: FieldsOf): readonly string[] => [
  ...new Set([...followed.values()].flatMap((fields) => [...fields])),
];

/** Returns the stages of a change stream that report the changes of collections, and of values only the former ones of recorded fields. */
export function streamStages(followed: FieldsOf): Document[] {
  const names = [...followed.keys()];
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
  const former = Object.fromEntries(recordedFields(followed).map((name) => [`fullDocumentBeforeChange.${name}`, 1]));
  return [{ $match }, { $project: { ...place, ...former, changed } }];
}

/**
 * Returns the changes of the followed collections in a batch of events. A collection is reset if it was dropped, or another one was
 * renamed to take its place.
 */
export const changesIn = (events: readonly Document[], followed: FieldsOf): Change[] =>
  (events as readonly Event[]).flatMap((event) =>
    kinds.has(event.operationType) ? written(event, followed) : replaced(event, followed),
  );

function written(event: Event, followed: FieldsOf): Change[] {
  const { _id, operationType, clusterTime, ns, documentKey, changed } = event;
  const place = { collection: ns?.coll ?? null, token: _id._data, time: clusterTime };
  const kind = operationType as Change['kind']; // one of `kinds`
  const fields = changed && [...new Set(changed.map((path) => path.split('.')[0] ?? path))];
  const change: Change = { ...place, kind, id: documentKey?._id, ...(fields && { fields }) };
  const recorded = followed.get(ns?.coll ?? '');
  const isRecorded = recorded !== undefined && recorded.size > 0 && kind !== 'insert' && syncLog.touches(change, recorded);
  return [isRecorded ? { ...change, former: formerOf(event, recorded) } : change];
}

/** Maximum bytes of the former values of a change. */
const largestFormer = 65_536;

/** Returns the values of the recorded fields, null for each that the document did not have; null if they are too large. */
function formerOf({ fullDocumentBeforeChange: before }: Event, fields: ReadonlySet<string>): Values | null {
  const former = before ? Object.fromEntries([...fields].map((name) => [name, before[name] ?? null])) : null;
  return former !== null && BSON.calculateObjectSize(former) <= largestFormer ? former : null;
}

function replaced({ _id, operationType, clusterTime, ns, to }: Event, followed: FieldsOf): Change[] {
  const reset = { kind: 'reset', token: _id._data, time: clusterTime } as const;
  if (operationType === 'dropDatabase') return [{ collection: null, ...reset }];
  if (operationType !== 'drop' && operationType !== 'rename') return [];
  const [name, other] = [ns?.coll ?? '', to?.coll ?? ''].filter((one) => followed.has(one));
  return name === undefined ? [] : [{ collection: other === undefined ? name : null, ...reset }];
}
