package stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MedianTest {
  @Test
  void oddNumberOfValues() {
    assertEquals(3, Median.of(5, 1, 3));
  }

  @Test
  void evenNumberOfValues() {
    assertEquals(2.5, Median.of(1, 2, 3, 4));
  }
}
