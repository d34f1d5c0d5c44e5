import {
  type ASTNode,
  type ConstDirectiveNode,
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isCompositeType,
  Kind,
} from 'graphql';
import type { CacheHint } from '../cache-policy.js';

/** What the schema says of caching a field or type. */
interface StaticHint extends CacheHint {
  /** Whether the field may be kept as long as the one above it. */
  readonly inheritMaxAge?: boolean;
}

interface Annotated {
  readonly astNode?: (ASTNode & { readonly directives?: readonly ConstDirectiveNode[] | undefined }) | null | undefined;
  readonly extensionASTNodes?: readonly { readonly directives?: readonly ConstDirectiveNode[] | undefined }[] | undefined;
}

/** Returns what the directive `@cacheControl` says of a type. */
export const cacheHintFromType = (type: GraphQLNamedType): StaticHint => hintOf(type);

function hintOf({ astNode, extensionASTNodes = [] }: Annotated): StaticHint {
  const directives = [astNode, ...extensionASTNodes].flatMap((node) => node?.directives ?? []);
  const directive = directives.find(({ name }) => name.value === 'cacheControl');
  const valueOf = (name: string) => directive?.arguments?.find((argument) => argument.name.value === name)?.value;
  const [maxAge, scope, inherit] = ['maxAge', 'scope', 'inheritMaxAge'].map(valueOf);
  return {
    ...(scope?.kind === Kind.ENUM && { scope: scope.value === 'PRIVATE' ? 'PRIVATE' : 'PUBLIC' }),
    ...(inherit?.kind === Kind.BOOLEAN && inherit.value
      ? { inheritMaxAge: true }
      : maxAge?.kind === Kind.INT && { maxAge: Number(maxAge.value) }),
  };
}

/** Returns what the schema says of a field: by itself, else by its type. */
export function staticHint(field: Pick<GraphQLField<unknown, unknown>, 'astNode' | 'type'>): StaticHint {
  const ofType = typeHint(field.type);
  const { inheritMaxAge = false, maxAge, scope } = hintOf(field);
  const inherits = ofType.inheritMaxAge === true || (inheritMaxAge && ofType.maxAge === undefined);
  return { inheritMaxAge: inherits, maxAge: maxAge ?? ofType.maxAge, scope: scope ?? ofType.scope };
}

function typeHint(type: GraphQLOutputType): StaticHint {
  const named = getNamedType(type);
  return isCompositeType(named) ? hintOf(named) : {};
}
