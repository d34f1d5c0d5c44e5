import { anything, type Schema } from '../http/json-schema.js';
import type { TypeSchemas } from '../http/operation.js';
import type { ContentType } from '../schema/content-type.js';
import type { Components } from './components.js';
import { flatSchema } from './entry-schemas.js';
import { createSchema, inputSchema } from './input-schemas.js';
import { entryParameters, flatListParameters } from './query-parameters.js';

const uses: Readonly<Record<Parameters<TypeSchemas['ofType']>[1], (type: ContentType, components: Components) => Schema>> = {
  answer: flatSchema,
  create: createSchema,
  update: inputSchema,
};

/** Returns the schemas that descriptions of routes refer to. */
export function typeSchemas(components: Components): TypeSchemas {
  const { types } = components.registry;
  return {
    named: (name, build) => components.named(name, build),
    ofType: (uid, use) => {
      const type = types.get(uid);
      return type === undefined ? anything : uses[use](type, components);
    },
    parameters: (uid, of) => {
      const type = types.get(uid);
      return type === undefined ? [] : (of === 'list' ? flatListParameters : entryParameters)(type, components);
    },
  };
}
