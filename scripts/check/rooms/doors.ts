import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { openRoom, roomOf, rooms, top } from './rooms.js';
import { readSources, type Source } from './sources.js';

/** What a room lets other rooms import. */
export interface Doors {
  /** The number of names that other rooms import. It may only fall. */
  readonly names: number;
  /** The files that other rooms import, as paths from the room. */
  readonly doors: readonly string[];
}

type DoorsByRoom = Readonly<Record<string, Doors>>;

const file = join(import.meta.dirname, 'doors.json');

/** Returns the doors that are stated. */
export const statedDoors = (): DoorsByRoom => JSON.parse(readFileSync(file, 'utf8')) as DoorsByRoom;

/** Returns the doors that are used, by room. The files of src itself put the rooms together: they use doors and have none. */
export function usedDoors(sources: readonly Source[]): DoorsByRoom {
  const used = sources.flatMap(({ name, imports }) =>
    imports.flatMap(({ target, names }) => {
      const room = target === null ? null : roomOf(target);
      return target === null || room === null || room === top || room === roomOf(name)
        ? []
        : names.map((each) => ({ room, path: target.slice(room.length + 1), name: each }));
    }),
  );
  const byRoom = rooms
    .filter((room) => room !== openRoom)
    .map((room) => [room, used.filter((one) => one.room === room)] as const);
  return Object.fromEntries(
    byRoom.map(([room, list]) => [
      room,
      {
        names: new Set(list.map(({ path, name }) => `${path} ${name}`)).size,
        doors: [...new Set(list.map(({ path }) => path))].sort(),
      },
    ]),
  );
}

/** Returns a line for each room that is entered by a file which is no door, or that gives more names than are stated. */
export function checkDoors(used: DoorsByRoom, stated: DoorsByRoom): readonly string[] {
  return Object.entries(used).flatMap(([room, { names, doors }]) => {
    const { names: most = 0, doors: known = [] } = stated[room] ?? {};
    const shut = doors.filter((door) => !known.includes(door));
    const unused = known.filter((door) => !doors.includes(door));
    return [
      ...shut.map((door) => `${room}/${door} is no door of ${room}: import one of those in scripts/check/rooms/doors.json`),
      ...unused.map((door) => `${room}/${door} is a door that no other room uses: run npm run doors`),
      ...(names > most ? [`${room} gives ${String(names)} names to other rooms instead of ${String(most)}: give one less`] : []),
      ...(names < most ? [`${room} gives ${String(names)} names to other rooms, fewer than stated: run npm run doors`] : []),
    ];
  });
}

/** Writes the doors that are used. Doors are only closed: a new one is written into the file by hand, with its reason in the commit. */
async function closeDoors(sources: readonly Source[]): Promise<void> {
  const stated = statedDoors();
  const closed = Object.entries(usedDoors(sources)).map(([room, { names, doors }]) => {
    const { names: most = names, doors: known = doors } = stated[room] ?? {};
    return [room, { names: Math.min(names, most), doors: doors.filter((door) => known.includes(door)) }] as const;
  });
  writeFileSync(
    file,
    await format(JSON.stringify(Object.fromEntries(closed)), { ...(await resolveConfig(file)), filepath: file }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await closeDoors(readSources(join(process.cwd(), 'src')));
