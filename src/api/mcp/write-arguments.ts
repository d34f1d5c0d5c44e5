import { fieldErrors, forbiddenError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AgentCall } from './agent-call.js';
import { decidesPublication } from './publication.js';
import { enabledTools } from './served-types.js';

/** The arguments of every tool that writes. */
export const writeArguments = ['key', 'dryRun'] as const;

/** Returns the values of an entry. Throws a ValidationError for those that decide when it is public, which have tools of their own. */
export function dataOf({ data }: Values, type: ContentType): Values {
  const values = isRecord(data) ? data : {};
  const names = type.draftAndPublish ? Object.keys(values).filter(decidesPublication) : [];
  if (names.length === 0) return values;
  throw fieldErrors(names.map((name) => ({ path: [name], message: `${name} is not part of data: use publish and unpublish` })));
}

/** The argument `status` of writes. */
export const ofWrite = { type: 'string', enum: ['draft', 'published'], description: 'published only if publish is available' };

/** Throws a ForbiddenError with a message unless agents may publish. */
export function refuseToPublish(call: AgentCall, message: string): void {
  if (!enabledTools(call).includes('publish')) throw forbiddenError(message);
}

/** Returns the query for the locale that a call names. */
export const queryOf = ({ locale }: Values): Query => ({ ...emptyQuery, locale: typeof locale === 'string' ? locale : null });
