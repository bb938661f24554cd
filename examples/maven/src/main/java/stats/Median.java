package stats;

import java.util.Arrays;

public final class Median {
  private Median() {}

  /** The value in the middle; of an even number of values, the mean of the two there. */
  public static double of(double... values) {
    double[] ordered = values.clone();
    Arrays.sort(ordered);
    return ordered[ordered.length / 2];
  }
}
