import type { Db } from 'mongodb';
import { writeConcern } from './baseline-handler.js';

const blockSize = 100;

interface Block {
  readonly first: Promise<number>;
  taken: number;
}

const blocks = new Map<string, Block>();

/** The next id of a collection. Ids are taken from the shared counter a hundred at a time. */
export async function takeId(db: Db, collection: string): Promise<number> {
  let block = blocks.get(collection);
  if (block === undefined || block.taken === blockSize) {
    block = { first: takeBlock(db, collection), taken: 0 };
    blocks.set(collection, block);
  }
  const place = block.taken++;
  return (await block.first) + place;
}

async function takeBlock(db: Db, collection: string): Promise<number> {
  const query = { _id: collection };
  const { value } = await db.command({ findAndModify: '_counters', query, update: { $inc: { next: blockSize } }, writeConcern });
  return (value as { readonly next: number }).next;
}
