import { GraphQLBoolean, GraphQLFloat, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';

const [number, degrees] = [{ type: GraphQLFloat }, { type: new GraphQLNonNull(GraphQLFloat) }];

/*
 * The names have an underscore, which no name of a content type has, so that none of them is taken.
 */

const placeInput = new GraphQLInputObjectType({ name: 'Point_Input', fields: { lng: degrees, lat: degrees } });

const circleInput = new GraphQLInputObjectType({
  name: 'Point_CircleInput',
  fields: { lng: degrees, lat: degrees, radius: degrees },
});

const nearInput = new GraphQLInputObjectType({
  name: 'Point_NearInput',
  fields: { lng: degrees, lat: degrees, maxDistance: number, minDistance: number },
});

const withinInput = new GraphQLInputObjectType({
  name: 'Point_WithinInput',
  fields: {
    circle: { type: circleInput },
    box: { type: new GraphQLList(degrees.type) },
    polygon: { type: new GraphQLList(new GraphQLNonNull(placeInput)) },
  },
});

/** The conditions on a point. Only schemas of types with points have them. */
export const pointFilter: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: 'Point_FilterInput',
  fields: () => ({
    not: { type: pointFilter },
    null: { type: GraphQLBoolean },
    notNull: { type: GraphQLBoolean },
    near: { type: nearInput },
    within: { type: withinInput },
  }),
});
