import explainability.lmc.LabelledMarkovChain;
import explainability.lmc.compute.SimplePolicyIteration;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Prints the bisimilarity distance of two states of a chain in files, and the processor seconds of its thread. */
public class Distances {
    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        LabelledMarkovChain chain = new LabelledMarkovChain(arguments[0]);
        int source = Integer.parseInt(arguments[1]), target = Integer.parseInt(arguments[2]);
        long began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        SimplePolicyIteration found = new SimplePolicyIteration(chain);
        found.compute();
        long ended = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        double distance = found.getDistance()[source * chain.getNumberOfStates() + target];
        System.out.println(distance + " " + (ended - began) / 1e9);
    }
}
