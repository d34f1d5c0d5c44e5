import { notFoundError } from '#base/errors.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { AdminCall } from '../api/admin-call.js';
import { callOnEntry, findEntry } from '../content-manager/entry-rights.js';
import type { PanelCall } from '../panel-route.js';
import { shownTypes } from '../rights/actions.js';
import { findPage, withToken } from './find-page.js';
import { createToken, endToken } from './tokens.js';

/** Creates a token for an entry that an administrator may read. Throws the errors of `findEntry` and `findPage`. */
export async function createFor(administrator: PanelCall, call: AdminCall, { longest }: { readonly longest: number }) {
  const { body, running } = call;
  const { uid, entry, locale, status } = await subjectOf(administrator, body);
  const page = await findPage({ uid, id: entry, locale, status }, running);
  const { id, tokenVersion: version } = administrator.rights.administrator;
  const subject = { uid, entry, locale, administrator: id, version };
  const seconds = Number(body['expiresIn'] ?? longest);
  const created = await call.commit(({ store }) => createToken(store.database, subject, seconds));
  return { ...created, ...(page && { url: withToken(page, created.token) }) };
}

async function subjectOf(administrator: PanelCall, { uid, id }: AdminCall['body']) {
  const { registry } = administrator.content.bind;
  const type = shownTypes(registry).find((one) => one.uid === uid);
  if (type === undefined) throw notFoundError(`There is no content type ${String(uid)}`);
  const key: EntryKey = { type, id: Number(id) };
  const query: Query = { ...emptyQuery, fields: type.localized ? ['id', 'locale'] : ['id'] };
  const own = await callOnEntry(key, { call: administrator, action: 'read' });
  const { entry } = await findEntry(key, { call: own, action: 'read' }, () => query);
  const { locale } = entry.document;
  return {
    uid: type.uid,
    entry: key.id,
    locale: typeof locale === 'string' ? locale : null,
    status: type.draftAndPublish ? ('draft' as const) : ('published' as const),
  };
}

/** Ends a token of an administrator. Throws a NotFoundError if there is none of the id in the path. */
export async function endOf({ rights }: PanelCall, { request, commit }: AdminCall): Promise<{ readonly id: string }> {
  const id = request.params['id'] ?? '';
  if (!(await commit(({ store }) => endToken(store.database, id, rights.administrator.id)))) throw notFoundError();
  return { id };
}
