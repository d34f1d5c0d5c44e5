import { Flex, Typography } from '@strapi/design-system';
import styled from 'styled-components';

/** A dot in the colour of a stage. */
export const StageDot = styled.span.attrs(({ $color }) => ({ style: { background: $color } }))`
  display: inline-block;
  flex: none;
  width: 12px;
  height: 12px;
  border-radius: 2px;
`;

/** The name of a stage with its colour. */
export const ColoredStage = ({ name, color }) => (
  <Flex gap={2} alignItems="center">
    <StageDot $color={color} aria-hidden />
    <Typography textColor="neutral800" ellipsis>
      {name}
    </Typography>
  </Flex>
);
