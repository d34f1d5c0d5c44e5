import { isDeepStrictEqual } from 'node:util';

/** The parts of knex that are used. */
export interface Knex {
  raw(sql: string): Promise<unknown>;
  (table: string): { insert(rows: readonly object[]): Promise<unknown> };
}

/** Copies all tables of a SQLite database into memory. Returns a function that restores them. */
export async function rememberTables(knex: Knex): Promise<() => Promise<void>> {
  const found = (await knex.raw("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")) as {
    readonly name: string;
  }[]; // the rows of SQLite
  const names = [...found.map(({ name }) => name), 'sqlite_sequence'];
  const read = async (name: string) => [name, (await knex.raw(`select * from "${name}"`)) as object[]] as const; // rows
  const tables = await Promise.all(names.map(read));
  await knex.raw('PRAGMA synchronous = OFF');
  return async () => {
    await knex.raw('PRAGMA foreign_keys = OFF');
    for (const [name, rows] of tables) {
      const [, now] = await read(name);
      if (isDeepStrictEqual(now, rows)) continue;
      await knex.raw(`delete from "${name}"`);
      for (const row of rows) await knex(name).insert([row]);
    }
    await knex.raw('PRAGMA foreign_keys = ON');
  };
}
