import { isDeepStrictEqual } from 'node:util';
import { readList } from '../../../test/api/sync/serve-sync.js';
import { sendAs } from '../../../test/content/rights/serve-accounts.js';
import { Random } from '../../random.js';
import { disturb } from '../sync/disturb.js';
import type { Scene, World } from '../sync/world.js';
import { Device } from './device.js';
import { Ledger } from './ledger.js';
import { decide, operations, type Trip } from './operations.js';
import { authorType, isRenaming, rename, renamed, titles } from './renames.js';

/** Operations of one seed. */
const length = 50;

/** Rounds after which all devices must have sent and decided everything. */
const maxRounds = 30;

const actionsOf = (name: string): string[] =>
  ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::${name}.${name}.${action}`);

/** What users may do at first and at the end. */
const rightsWith = (author: string): string[] => [
  ...['post', author, 'tag'].flatMap(actionsOf),
  ...['api::note.note.find', 'plugin::upload.content-api.upload'],
];

const total = operations.reduce((sum, [weight]) => sum + weight, 0);

/** Runs a seed. Returns what is wrong. */
export async function runSeed(seed: number, world: World, log: (line: string) => void): Promise<string[]> {
  const random = new Random(seed);
  await world.begin();
  await world.database.db.collection('files').deleteMany({ name: /^cover / });
  await giveRights(world);
  const jwt = world.user.valid();
  const origin = (): string => world.urlOf(Math.floor(Math.random() * 2));
  const token = world.callers[0].token() ?? '';
  const owners = [
    { name: 'phone', jwt },
    { name: 'tablet', jwt },
    { name: 'desk', token },
  ] as const;
  const authors = `${await authorType(world)}s`;
  const devices = owners.map((owner) => new Device({ ...owner, origin }, authors));
  const ledger = new Ledger(world, devices);
  const scene: Scene = { world, random, open: null };
  let count = 0;
  const next = (): number => (count += 1);
  const disturbedAt = random.oneIn(4) ? random.below(length) : -1;
  const renamedAt = random.oneIn(4) ? random.below(length) : -1;
  const wrong: string[] = [];
  for (let step = 0; step < length && wrong.length === 0; step += 1) {
    const device = random.of(devices as [Device, ...Device[]]);
    if (step === renamedAt) log(`  ${String(step)} rename ${await rename(world, random.of(['title', 'author']))}`);
    const name = step === disturbedAt ? (await disturb(scene)).name : await operate({ scene, device, ledger, next });
    log(`  ${String(step)} ${device.name}: ${name}`);
    wrong.push(...(await ledger.overwritten()));
    if (random.oneIn(6)) wrong.push(...(await visibleWrong(device, world)));
    if (wrong.length > 0) wrong.unshift(`step ${String(step)}, after ${name} of ${device.name}`);
  }
  if (wrong.length === 0) wrong.push(...(await comeHome(devices, { scene, ledger, next })));
  await Promise.all(devices.flatMap(({ tabs }) => tabs.map((tab) => tab.close())));
  return wrong;
}

const giveRights = async (world: World): Promise<void> => {
  const actions = rightsWith(await authorType(world));
  for (const role of ['1', '2']) await world.admin('PUT', `/roles/${role}`, { actions });
  await world.settled();
};

/** Runs an operation. One over REST fails if its instance was just killed. */
async function operate(trip: Trip): Promise<string> {
  let left = trip.scene.random.below(total);
  for (const [weight, name, run] of operations) {
    left -= weight;
    if (left >= 0) continue;
    try {
      await run(trip);
    } catch (error) {
      if ((error as Error).message !== 'fetch failed') throw error;
    }
    return name;
  }
  return 'nothing';
}

type Shown = Readonly<Record<string, unknown>>;

const listOf = async (device: Device, world: World, type: string): Promise<ReadonlyMap<number, Shown> | null> => {
  const { status, entries } = await readList(
    { as: (token, method, path) => sendAs(token, method, `${world.urlOf(0)}${path}`) },
    device.credentials,
    type,
  );
  return status === 200 ? new Map(Object.entries(entries).map(([id, entry]) => [Number(id), entry as Shown])) : null;
};

/** Takes a step of a device when all is logged. Returns the entries that it shows, or does not, in spite of the rights of its user. */
async function visibleWrong(device: Device, world: World): Promise<string[]> {
  if (device.isCut) return [];
  await world.settled();
  if (await isRenaming(world)) return []; // instances answer under different names
  await world.logged();
  const failure = await device.try(device.offline.pull());
  if (failure !== null && !('status' in failure)) return [];
  const pending = await device.offline.pending();
  const wrong: string[] = [];
  for (const type of ['posts', device.authors]) {
    const list = await listOf(device, world, type);
    const deleted = pending.flatMap((write) => (write.op === 'delete' && write.type === type ? [write.id] : []));
    const ids = (await device.offline.list(type)).map(({ id }) => id).filter((id) => typeof id === 'number');
    wrong.push(...ids.filter((id) => list?.has(id) !== true).map((id) => `${device.name} shows ${type} ${String(id)}`));
    const missing = [...(list?.keys() ?? [])].filter((id) => !ids.includes(id) && !deleted.includes(id));
    if (failure === null) wrong.push(...missing.map((id) => `${device.name} lacks ${type} ${String(id)}`));
  }
  return wrong;
}

/** Ends all tunnels and decides about everything. Returns how devices differ from the service. */
async function comeHome(devices: readonly Device[], trip: Omit<Trip, 'device'>): Promise<string[]> {
  const { world } = trip.scene;
  if (!(await renamed(world))) return ['a rename does not end'];
  await restore(world);
  const authors = `${await authorType(world)}s`;
  for (const device of devices) {
    [device.isCut, device.loses] = [false, null];
    if (device.authors === authors) continue;
    device.authors = authors;
    device.kill();
  }
  for (let round = 0; ; round += 1) {
    for (const device of devices) {
      const failure = await device.try(device.offline.push());
      if (failure !== null) await world.settled();
      await decide({ ...trip, device });
    }
    const statuses = await Promise.all(devices.map(({ offline }) => offline.status()));
    if (statuses.every(({ pending, conflicts, refused }) => pending + conflicts + refused === 0)) break;
    if (round > maxRounds) return [`writes are left: ${JSON.stringify(await devices[0]?.offline.pending())}`];
  }
  await world.settled();
  await world.logged();
  const wrong = [...(await trip.ledger.overwritten()), ...(await trip.ledger.wrongNumbers())];
  for (const device of devices) {
    const failure = await device.try(device.offline.pull());
    if (failure !== null) wrong.push(`${device.name} cannot pull: ${failure.message}`);
    for (const tab of device.tabs)
      for (const type of ['posts', authors]) wrong.push(...(await differences(device, tab, { world, type })));
  }
  return wrong;
}

async function restore(world: World): Promise<void> {
  const users = world.database.db.collection<{ _id: number }>('up_users');
  await users.updateOne({ _id: world.user.id }, { $set: { blocked: false, role: 1 } });
  for (const role of ['1', '2']) await world.admin('PUT', `/roles/${role}/rules`, { rows: null, fields: null });
  await giveRights(world);
}

/** Returns the entries that a device shows in another way than the service. */
async function differences(
  device: Device,
  tab: Device['offline'],
  { world, type }: { readonly world: World; readonly type: string },
): Promise<string[]> {
  const list = await listOf(device, world, type);
  const shown = new Map((await tab.list(type)).map(({ id, ...values }) => [id, values as Shown]));
  const ids = [...new Set([...(list?.keys() ?? []), ...shown.keys()])];
  return ids.flatMap((id) => {
    const [is, should] = [shown.get(id), list?.get(Number(id))];
    const isEqual = is !== undefined && should !== undefined && isDeepStrictEqual(underOneName(is, should), mapLinks(should));
    return isEqual
      ? []
      : [`${device.name} shows ${type} ${String(id)}\n  ${JSON.stringify(is)}\n  instead of ${JSON.stringify(should)}`];
  });
}

/** Returns an entry without what is a title under another name. */
const underOneName = (is: Shown, should: Shown): Shown => {
  const title = titles.map((name) => should[name]).find((value) => value !== undefined);
  return Object.fromEntries(
    Object.entries(is).filter(([name, value]) => name in should || !titles.includes(name) || value !== title),
  );
};

/** Ids in place of links, as an engine shows them. */
const mapLinks = (entry: Shown): Shown =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      if (name === 'seo' || name === 'body') return [name, value];
      return [name, Array.isArray(value) ? value.map(idOf) : idOf(value)];
    }),
  );

const idOf = (value: unknown): unknown => (typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : value);
