import { GraphQLScalarType, Kind } from 'graphql';

/** A locale as an argument: checked where it is written in the query, taken as it is from a variable. */
export const localeCodeScalar = new GraphQLScalarType({
  name: 'I18NLocaleCode',
  description: 'A string used to identify an i18n locale',
  parseValue: (value) => value,
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING) throw new TypeError('Locale cannot represent non string type');
    if (node.value !== 'all' && !isLocaleCode(node.value)) throw new TypeError('Unknown locale supplied');
    return node.value;
  },
});

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether the Unicode locale data that Node carries knows the language, and the region if there is one. */
function isLocaleCode(code: string): boolean {
  if (!/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(code)) return false;
  const [known] = Intl.NumberFormat.supportedLocalesOf([code]);
  const region = new Intl.Locale(code).region;
  return known !== undefined && (region === undefined || regions.of(region) !== undefined);
}
