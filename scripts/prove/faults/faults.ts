import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, type Document } from 'mongodb';
import type { Instance } from './instance.js';
import { models } from './load.js';
import type { Member, ReplicaSet } from './replica-set.js';

/** The targets of faults. */
export interface Scene {
  readonly set: ReplicaSet;
  readonly instances: readonly [Instance, Instance];
}

/** A fault that happens while clients write. */
export interface Fault {
  readonly name: string;
  /** Causes the fault, and repairs it. */
  readonly run: (scene: Scene) => Promise<void>;
  /** Whether no write can be stored meanwhile; else they pause for less than 5 s. */
  readonly mayStop?: true;
  /** Whether writes must be refused meanwhile, none of them later than its limit. */
  readonly isRefused?: true;
  /** Whether no request may fail. */
  readonly isSmooth?: true;
  /** Requests a second that are sent at a fixed rate while it runs, instead of the clients that write without end. */
  readonly steadily?: number;
  /** Whether it belongs to the short form. */
  readonly isShort?: true;
}

const secondaryOf = async ({ members, primary }: ReplicaSet): Promise<Member> => {
  const first = await primary();
  return members.find((member) => member !== first) ?? first;
};

/** Activates a fail point of the server for a time. */
async function failing(member: Member, data: Document, milliseconds: number): Promise<void> {
  await member.command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: { appName: 'mangrove', ...data } });
  await delay(milliseconds);
  await member.command({ configureFailPoint: 'failCommand', mode: 'off' });
}

async function killAndStart(member: Member): Promise<void> {
  await member.kill();
  await delay(4_000);
  await member.start();
}

/** Kills the primary when it alone has the last writes, or has just sent them to the others: the answers to all of them are lost. */
async function killUnanswered({ members, primary }: ReplicaSet): Promise<void> {
  const first = await primary();
  const others = members.filter((member) => member !== first);
  for (const { signal } of others) signal('SIGSTOP');
  await delay(1_200);
  const killed = first.kill();
  for (const { signal } of others) signal('SIGCONT');
  await killed;
  await delay(2_000);
  await first.start();
}

async function restart(instance: Instance, signal: NodeJS.Signals): Promise<void> {
  instance.signal(signal);
  await instance.ended();
  await instance.start();
}

async function stall(member: Member, milliseconds: number): Promise<void> {
  member.signal('SIGSTOP');
  await delay(milliseconds);
  member.signal('SIGCONT');
}

async function storeModel(uri: string, model: { readonly uid: string } & Document): Promise<void> {
  const { uid, ...document } = model;
  const client = await MongoClient.connect(uri);
  await client.db().collection<{ _id: string }>('_models').replaceOne({ _id: uid }, document, { upsert: true });
  await client.close();
}

/** Sends requests to an instance until it answers as expected. */
async function served({ port }: Instance, path: string): Promise<void> {
  const url = `http://127.0.0.1:${String(port)}${path}`;
  while ((await fetch(url)).status !== 200) await delay(50);
}

const changedItem = { ...models[0], attributes: { ...models[0].attributes, note: { type: 'string' } } };
const remarkedItem = { ...models[0], attributes: { ...models[0].attributes, remark: { type: 'string' } } };
const changedBadge = { ...models[2], attributes: { ...models[2].attributes, colour: { type: 'string' } } };
const gadget = {
  uid: 'api::gadget.gadget',
  kind: 'collectionType',
  collectionName: 'gadgets',
  info: { singularName: 'gadget', pluralName: 'gadgets', displayName: 'Gadget' },
  attributes: { name: { type: 'string' } },
};

/** Prevents the files of a server from growing, as a full disk does, until it is started again after a time. */
async function fillDisk(member: Member, milliseconds: number): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(member.pid()), '--fsize=4096:4096']);
  await delay(milliseconds);
  await member.kill();
  await member.start();
}

async function isolate({ link }: Member, milliseconds: number): Promise<void> {
  link.block();
  await delay(milliseconds);
  link.unblock();
}

export const faults: readonly Fault[] = [
  { name: 'the primary is killed', isShort: true, run: async ({ set }) => killAndStart(await set.primary()) },
  {
    name: 'the primary steps down',
    isShort: true,
    run: async ({ set }) => {
      await (await set.primary()).command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2 });
    },
  },
  {
    name: 'the primary is killed before it can answer, three times',
    isShort: true,
    run: async ({ set }) => {
      for (let times = 0; times < 3; times += 1) {
        await killUnanswered(set);
        await set.whole();
      }
    },
  },
  { name: 'the primary stalls for 10 s', isShort: true, run: async ({ set }) => stall(await set.primary(), 10_000) },
  { name: 'a secondary is killed', run: async ({ set }) => killAndStart(await secondaryOf(set)) },
  { name: 'a secondary stalls for 6 s', run: async ({ set }) => stall(await secondaryOf(set), 6_000) },
  { name: 'an instance is killed', isShort: true, run: ({ instances: [first] }) => restart(first, 'SIGKILL') },
  { name: 'an instance is told to end', run: ({ instances: [, second] }) => restart(second, 'SIGTERM'), isSmooth: true },
  {
    name: 'rolling restart, a model changes in the middle',
    isShort: true,
    isSmooth: true,
    run: async ({ set, instances: [first, second] }) => {
      await restart(first, 'SIGTERM');
      await storeModel(set.uri, changedBadge);
      await restart(second, 'SIGTERM');
    },
  },
  {
    name: 'rolling restart at 200 requests a second, a model changes',
    isSmooth: true,
    steadily: 200,
    run: async ({ set, instances: [first, second] }) => {
      await delay(1_000);
      await restart(first, 'SIGTERM');
      await storeModel(set.uri, remarkedItem);
      await restart(second, 'SIGTERM');
      await delay(1_000);
    },
  },
  {
    name: 'an instance hangs for 3 s',
    run: async ({ instances: [first] }) => {
      first.signal('SIGSTOP');
      await delay(3_000);
      first.signal('SIGCONT');
    },
  },
  { name: 'nobody reaches the primary for 8 s', run: async ({ set }) => isolate(await set.primary(), 8_000) },
  { name: 'nobody reaches a secondary for 5 s', run: async ({ set }) => isolate(await secondaryOf(set), 5_000) },
  {
    name: 'all connections to the database are reset, five times',
    run: async ({ set }) => {
      for (let times = 0; times < 5; times += 1) {
        for (const { link } of set.members) link.cut();
        await delay(400);
      }
    },
  },
  {
    name: 'latency of 200 ms to the database',
    run: async ({ set }) => {
      for (const { link } of set.members) link.delay(100);
      await delay(6_000);
      for (const { link } of set.members) link.delay(0);
    },
  },
  {
    name: 'slow queries: every read takes 300 ms',
    run: async ({ set }) =>
      failing(await set.primary(), { failCommands: ['find', 'aggregate'], blockConnection: true, blockTimeMS: 300 }, 5_000),
  },
  {
    name: 'a full pool: every write takes 1.5 s',
    run: async ({ set }) =>
      failing(
        await set.primary(),
        { failCommands: ['insert', 'findAndModify', 'update', 'commitTransaction'], blockConnection: true, blockTimeMS: 1500 },
        5_000,
      ),
  },
  {
    name: 'answers to writes and commits are lost',
    isShort: true,
    run: async ({ set }) => {
      const data = {
        failCommands: ['insert', 'findAndModify', 'update', 'commitTransaction'],
        closeConnection: true,
        appName: 'mangrove',
      };
      const primary = await set.primary();
      for (let times = 0; times < 6; times += 1) {
        await primary.command({ configureFailPoint: 'failCommand', mode: { times: 8 }, data });
        await delay(500);
      }
      await primary.command({ configureFailPoint: 'failCommand', mode: 'off' });
    },
  },
  {
    name: 'writes are refused as by a former primary',
    run: async ({ set }) => failing(await set.primary(), { failCommands: ['insert', 'findAndModify'], errorCode: 10107 }, 1_000),
  },
  {
    name: 'the disk of the primary stalls for 3 s',
    run: async ({ set }) => (await set.primary()).holdDisk(3_000),
  },
  {
    name: 'the disk of the primary stalls for 15 s',
    mayStop: true,
    isRefused: true,
    run: async ({ set }) => (await set.primary()).holdDisk(15_000),
  },
  {
    name: 'no secondary follows for 15 s',
    mayStop: true,
    isRefused: true,
    run: async ({ set }) => {
      const primary = await set.primary();
      const others = set.members.filter((member) => member !== primary);
      for (const { command } of others) await command({ configureFailPoint: 'stopReplProducer', mode: 'alwaysOn' });
      await delay(15_000);
      for (const { command } of others) await command({ configureFailPoint: 'stopReplProducer', mode: 'off' });
    },
  },
  { name: 'the disk of the primary is full', run: async ({ set }) => fillDisk(await set.primary(), 8_000) },
  { name: 'the disk of a secondary is full', run: async ({ set }) => fillDisk(await secondaryOf(set), 5_000) },
  {
    name: 'a model changes',
    isSmooth: true,
    isShort: true,
    run: async ({ set, instances }) => {
      await storeModel(set.uri, changedItem);
      for (const instance of instances)
        await served(instance, '/api/items?filters[note]=x&pagination[pageSize]=1&pagination[withCount]=false');
    },
  },
  {
    name: 'a model is new',
    isSmooth: true,
    run: async ({ set, instances }) => {
      await storeModel(set.uri, gadget);
      for (const instance of instances) await served(instance, '/api/gadgets');
    },
  },
  {
    name: 'two elections, one after the other',
    run: async ({ set }) => {
      for (let times = 0; times < 2; times += 1) {
        await (await set.primary()).command({ replSetStepDown: 3, secondaryCatchUpPeriodSecs: 2 });
        await delay(4_000);
      }
    },
  },
  {
    name: 'an instance and the primary are killed together',
    run: async ({ set, instances: [first] }) => {
      const primary = await set.primary();
      await Promise.all([restart(first, 'SIGKILL'), killAndStart(primary)]);
    },
  },
  {
    name: 'all servers of the database are killed at once',
    mayStop: true,
    run: async ({ set }) => {
      await Promise.all(set.members.map(({ kill }) => kill()));
      await Promise.all(set.members.map(({ start }) => start()));
    },
  },
  {
    name: 'everything is restarted',
    mayStop: true,
    run: async ({ set, instances }) => {
      for (const instance of instances) instance.signal('SIGTERM');
      await Promise.all(instances.map(({ ended }) => ended()));
      await Promise.all(set.members.map(({ stop }) => stop()));
      await Promise.all(set.members.map(({ start }) => start()));
      await Promise.all(instances.map(({ start }) => start()));
    },
  },
];
