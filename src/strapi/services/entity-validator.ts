import { acceptInput } from '#content/accept-write.js';
import { checkUnwritten } from '#content/check-body.js';
import type { ContentContext } from '#content/content-context.js';
import { defaultsOf } from '#content/data-for-code.js';
import { type EntityId, entryType } from '#api/code/entity-service.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import type { StrapiModel } from '../content/describe-model.js';

/** Options of a check. Drafts may lack required values. */
export interface ValidatorOptions {
  readonly isDraft?: boolean;
}

/**
 * Checks data as writes do, without writing it. Returns the data, of which unknown names are kept. Throws a ValidationError that
 * lists all problems. Values that `entity` has itself are not taken. Throws an Error for a model that is no content type.
 */
export type ValidateEntity = (
  model: Pick<StrapiModel, 'uid'>,
  data: object,
  options?: ValidatorOptions,
  entity?: { readonly id: EntityId } | null,
) => Promise<Values>;

/** `strapi.entityValidator` of Strapi v4. */
export interface EntityValidator {
  /** Adds defaults to the data. Defaults inside components are set by the write. */
  readonly validateEntityCreation: ValidateEntity;
  /** Required values may be absent. */
  readonly validateEntityUpdate: ValidateEntity;
}

/** `content` returns the current context. */
export function createEntityValidator(content: () => ContentContext): EntityValidator {
  const validate =
    (mode: 'create' | 'update'): ValidateEntity =>
    async (model: Partial<StrapiModel> | undefined, data, options, entity) => {
      const context = content();
      const type = entryType(String(model?.uid), context.bind.registry);
      const id = entity?.id === undefined ? null : Number(entity.id);
      const body = { mode, draft: options?.isDraft === true, id } as const;
      await checkUnwritten(type, acceptInput(type, data, context), body, context);
      return mode === 'create' ? withDefaults(type, data) : { ...data };
    };
  return { validateEntityCreation: validate('create'), validateEntityUpdate: validate('update') };
}

function withDefaults(type: ContentType, data: object): Values {
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  return { ...defaultsOf(type), ...Object.fromEntries(given) };
}
