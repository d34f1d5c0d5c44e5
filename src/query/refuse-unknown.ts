import { invalidParameter } from '../errors.js';
import type { ContentType } from '../schema/content-type.js';
import { readable } from './access.js';
import type { Query } from './ast.js';
import type { BindContext } from './bind-context.js';
import { expandDeep } from './expand-deep.js';

/** In strict mode, throws a ValidationError for a populated name that none of the types has, or that the caller may not read. */
export function refuseUnknown(query: Query, types: readonly ContentType[], context: BindContext): void {
  if (!context.settings.strict) return;
  const names = types.flatMap((type) => expandDeep(query.populate, type, context).fields.map(({ name }) => name));
  const unknown = names.find((name) =>
    types.every((type) => (readable(type, name, context.access)?.kind ?? 'scalar') === 'scalar'),
  );
  if (unknown !== undefined) throw invalidParameter(unknown);
}
