import type { Serving } from '../support/serve.js';

export const credentials = { email: 'super@test.test', password: 'Password1' };

/** Returns the text of a status page, such as `models?page=2`. */
export type ReadStatus = (page: string) => Promise<string>;

/** Logs the first administrator in at the status pages. */
export async function openStatus({ server }: Serving): Promise<ReadStatus> {
  const entered = await fetch(`${server.url}/_status/log-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: server.url },
    body: new URLSearchParams(credentials),
  });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  return async (page) => {
    const answer = await fetch(`${server.url}/_status/${page}`, { headers: { cookie } });
    if (answer.status !== 200) throw new Error(`${page}: ${String(answer.status)}`);
    return answer.text();
  };
}

/** Restricts the role of users who are logged in to their own notes, and hides a field. */
export async function storeRules({ database: { db } }: Serving): Promise<void> {
  const role = await db.collection('up_roles').findOne({ type: 'authenticated' });
  const rules = {
    rows: { 'api::note.note': { owner: { id: { $eq: '$user.id' } } } },
    fields: { 'api::note.note': { deny: ['secret'] } },
  };
  await db.collection('up_roles').updateOne({ type: 'authenticated' }, { $set: { _rules: rules } });
  const actions = ['find', 'findOne'].map((action) => `api::note.note.${action}`);
  await db
    .collection<{ _id: number }>('up_permissions')
    .insertMany(actions.map((action, index) => ({ _id: 10_000 + index, action, role: Number(role?._id) })));
}
